/// What a manual page and the declarations of its program do not agree on.
public struct ManPageDifference: Equatable, Sendable {
  /// Declared and not in the page: `--listen`, `-l`, `create`, `NUMBER`, `--discovery embedded`.
  public let missing: [String]
  /// In the page as the program's own and not declared.
  public let undeclared: [String]

  public var isEmpty: Bool { missing.isEmpty && undeclared.isEmpty }
}

extension Command {
  /// Compares an mdoc(7) page with what is declared here and in all subcommands.
  ///
  /// The page names options as `Fl -listen` and `Fl l`, subcommands as `Cm create`, operands and
  /// values as `Ar NUMBER`. The words of an enumeration may stand anywhere as words of their own.
  /// Options of other programs stand in the page as literals, not as `Fl`.
  public func difference(toManPage source: String) -> ManPageDifference {
    let page = ManPageWords(source)
    let commands = [self] + subcommands
    let options = commands.flatMap(\.options) + Common.always
    var missing = options.flatMap(\.spellings).filter { !page.flags.contains($0) }
    for case (let option, .words(let words)) in options.map({ ($0, $0.completion) }) {
      missing += words.filter { !page.words.contains($0) }.map { "\(option.spelling) \($0)" }
    }
    missing += subcommands.map(\.name).filter { !page.commands.contains($0) }
    missing += commands.flatMap(\.operands).map(\.name).filter { !page.arguments.contains($0) }
    let declared = Set(options.flatMap(\.spellings))
    return ManPageDifference(
      missing: missing.reduce(into: []) { if !$0.contains($1) { $0.append($1) } },
      undeclared: page.flags.subtracting(declared).sorted())
  }
}

/// The words of an mdoc(7) page by the macro before them.
private struct ManPageWords {
  var flags: Set<String> = []
  var commands: Set<String> = []
  var arguments: Set<String> = []
  var words: Set<String> = []

  init(_ source: String) {
    for line in source.split(separator: "\n") where !line.hasPrefix(".\\\"") {
      let tokens = line.split { " ,;|()[]\"".contains($0) }.map(String.init)
      words.formUnion(tokens)
      guard line.hasPrefix(".") else { continue }
      var macro = ""
      for token in tokens {
        let name = token.hasPrefix(".") ? String(token.dropFirst()) : token
        if ["Fl", "Cm", "Ar"].contains(name) {
          macro = name
          continue
        }
        // Another macro ends the one before: they are all two letters, the first a capital.
        if name.count == 2, name.first?.isUppercase == true, name.last?.isLowercase == true {
          macro = ""
          continue
        }
        switch macro {
        case "Fl": flags.insert("-" + token)
        case "Cm": commands.insert(token)
        case "Ar": arguments.insert(token)
        default: break
        }
      }
    }
  }
}
