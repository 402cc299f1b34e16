extension Command {
  /// What is wrong with the declarations themselves; a test of every program wants it empty.
  public var flaws: [String] {
    var flaws = ownFlaws(inherited: Common.always)
    for command in subcommands {
      if !command.subcommands.isEmpty { flaws.append("\(command.name): commands in a command") }
      flaws += command.ownFlaws(inherited: options + Common.always)
    }
    flaws += Command.repeats(subcommands.map(\.name)).map { "\($0): declared twice" }
    if !subcommands.isEmpty, !operands.isEmpty {
      flaws.append("\(name): both commands and operands")
    }
    return flaws
  }

  private func ownFlaws(inherited: [Declaration]) -> [String] {
    let taken = Set(inherited.flatMap(\.spellings))
    let own = options.flatMap(\.spellings) + operands.map(\.name)
    var flaws = (Command.repeats(own) + own.filter(taken.contains)).map { "\($0): declared twice" }
    for declaration in declarations {
      if !declaration.help.hasSuffix(".") {
        flaws.append("\(declaration.spelling): its help is no sentence")
      }
      let isPlain = declaration.name.unicodeScalars.allSatisfy {
        ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
      }
      if declaration.kind != .operand, !isPlain || declaration.name.hasPrefix("-") {
        flaws.append("\(declaration.spelling): not small letters, digits and hyphens")
      }
    }
    if operands.filter({ $0.occurrence.maximum > 1 }).count > 1 {
      flaws.append("two operands that repeat")
    }
    if summary.hasSuffix(".") { flaws.append("its summary ends in a full stop") }
    return flaws.map { "\(name): \($0)" }
  }

  private static func repeats(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { !seen.insert($0).inserted }
  }
}
