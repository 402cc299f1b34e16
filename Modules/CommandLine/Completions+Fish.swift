extension Command {
  var fishCompletions: String {
    let seen = "__fish_seen_subcommand_from"
    let names = subcommands.map(\.name).joined(separator: " ")
    var lines = [
      "# fish completions for \(name) \(airLinkVersion); made by \(name) --completions fish",
      "complete -c \(name) -f",
    ]
    for command in subcommands {
      lines.append(
        "complete -c \(name) -n \(fishQuoted("not \(seen) \(names)")) -a \(command.name) "
          + "-d \(fishQuoted(command.summary))")
    }
    lines += (options + Common.always).map { fishOption($0, condition: nil) }
    if subcommands.isEmpty { lines += fishOperands(self, condition: nil) }
    for command in subcommands {
      let condition = "\(seen) \(command.name)"
      lines += command.options.map { fishOption($0, condition: condition) }
      lines += fishOperands(command, condition: condition)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func fishStart(_ condition: String?) -> String {
    "complete -c \(name)" + (condition.map { " -n \(fishQuoted($0))" } ?? "")
  }

  private func fishOption(_ option: Declaration, condition: String?) -> String {
    let short = option.short.map { " -s \($0)" } ?? ""
    let value = option.kind == .option ? fishValue(option.completion) : ""
    return "\(fishStart(condition))\(short) -l \(option.name)\(value) "
      + "-d \(fishQuoted(option.brief))"
  }

  private func fishValue(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " -x"
    case .words(let words): " -x -a \(fishQuoted(words.joined(separator: " ")))"
    case .file: " -r -F"
    case .directory: " -x -a '(__fish_complete_directories)'"
    }
  }

  private func fishOperands(_ command: Command, condition: String?) -> [String] {
    let completion = command.operands.map(\.completion).first { $0 != .nothing } ?? .nothing
    let start = fishStart(condition)
    switch completion {
    case .nothing: return []
    case .words(let words): return ["\(start) -a \(fishQuoted(words.joined(separator: " ")))"]
    case .file: return ["\(start) -F"]
    case .directory: return ["\(start) -a '(__fish_complete_directories)'"]
    }
  }

  /// In fish's single quotes only the quote and the backslash are escaped.
  private func fishQuoted(_ text: String) -> String {
    "'" + text.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] } + "'"
  }
}
