extension Command {
  /// The help of the command at the end of `path`, 80 columns wide, ending in a newline.
  public func help(path: [String] = []) -> String {
    var chain = [self]
    for name in path {
      guard let next = chain.last?.subcommands.first(where: { $0.name == name }) else { break }
      chain.append(next)
    }
    return HelpText(chain: chain).text
  }
}

/// Lays out the help of a command; `chain` leads from the program to it.
struct HelpText {
  static let columns = 80
  static let indent = 2
  /// Where explanations begin; a longer left side gets a line of its own.
  static let explanationColumn = 26

  let chain: [Command]

  var text: String {
    guard let command = chain.last else { return "" }
    var blocks = [usage.joined(separator: "\n"), wrapped(command.summary + ".", indent: 0)]
    if !command.discussion.isEmpty {
      blocks.append(
        command.discussion.split(separator: "\n\n").map { wrapped(String($0), indent: 0) }
          .joined(separator: "\n\n"))
    }
    if !command.subcommands.isEmpty {
      blocks.append(table("Commands", command.subcommands.map { ($0.name, $0.summary + ".") }))
    }
    let operands = command.operands.filter { !$0.help.isEmpty }
    if !operands.isEmpty {
      blocks.append(table("Operands", operands.map { ($0.name, $0.help) }))
    }
    for section in command.sections {
      let options = section.parameters.map(\.declaration).filter { $0.kind != .operand }
      if !options.isEmpty { blocks.append(table(section.title, options.map(row))) }
    }
    let inherited = chain.dropLast().flatMap(\.options)
    let title = inherited.isEmpty ? "Help" : "Common options"
    blocks.append(table(title, (inherited + Common.always).map(row)))
    if !command.examples.isEmpty { blocks.append(examples(command.examples)) }
    if !command.subcommands.isEmpty {
      blocks.append("'\(command.name) COMMAND --help' says more about a command.")
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private var usage: [String] {
    guard let command = chain.last else { return [] }
    let name = chain.map(\.name).joined(separator: " ")
    let required = chain.flatMap(\.options).filter { $0.occurrence.minimum > 0 }
    var words = ["[OPTION]..."] + required.map { "\($0.spelling) \($0.metavariable)" }
    if !command.subcommands.isEmpty { words.append("COMMAND ...") }
    words += command.operands.map { operand in
      switch operand.occurrence {
      case .optional: "[\(operand.name)]"
      case .required: operand.name
      case .repeated: "[\(operand.name)...]"
      case .atLeastOnce: "\(operand.name)..."
      }
    }
    return ["Usage: \(name) \(words.joined(separator: " "))"]
  }

  private func row(_ option: Declaration) -> (String, String) {
    let short = option.short.map { "-\($0), " } ?? "    "
    let value = option.metavariable.isEmpty ? "" : " \(option.metavariable)"
    var help = option.help
    if option.occurrence.maximum > 1 { help += " Can be given more than once." }
    return ("\(short)\(option.spelling)\(value)", help)
  }

  private func table(_ title: String, _ rows: [(left: String, right: String)]) -> String {
    var lines = ["\(title):"]
    for row in rows {
      let left = String(repeating: " ", count: Self.indent) + row.left
      let right = wrapped(row.right, indent: Self.explanationColumn)
      let gap = Self.explanationColumn - left.count
      if gap >= 2 {
        lines.append(left + String(repeating: " ", count: gap) + right.drop { $0 == " " })
      } else {
        lines.append(left)
        lines.append(right)
      }
    }
    return lines.joined(separator: "\n")
  }

  private func examples(_ examples: [Command.Example]) -> String {
    var lines = ["Examples:"]
    for example in examples {
      lines.append("  \(example.words)")
      lines.append(wrapped(example.meaning, indent: 6))
    }
    return lines.joined(separator: "\n")
  }

  private func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      if !line.isEmpty, indent + line.count + 1 + word.count > Self.columns {
        lines.append(margin + line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    if !line.isEmpty { lines.append(margin + line) }
    return lines.joined(separator: "\n")
  }
}
