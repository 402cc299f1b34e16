extension Command {
  var zshCompletions: String {
    let common = (options + Common.always).map { zshSpec($0, exclusive) }
    return """
      #compdef \(name)
      # zsh completions for \(name) \(airLinkVersion); made by \(name) --completions zsh
      \(completionFunction)() {
        local curcontext="$curcontext" state line
        typeset -A opt_args
      \(subcommands.isEmpty ? zshPlain(common) : zshWithCommands(common))
      }
      # Read as a function of its own by the completion system, or sourced by hand.
      if [[ $funcstack[1] == \(completionFunction) ]]; then
        \(completionFunction) "$@"
      else
        compdef \(completionFunction) \(name)
      fi

      """
  }

  private func zshPlain(_ common: [String]) -> String {
    zshArguments(common + zshOperands(self), flags: "-s -S", indent: "  ")
  }

  private func zshWithCommands(_ common: [String]) -> String {
    let names = subcommands.map { command in
      shellQuoted("\(command.name):\(command.summary)")
    }
    let cases = subcommands.map { command in
      let own = command.options.map { zshSpec($0, command.exclusive) }
      let body = zshArguments(
        own + ["$common[@]"] + zshOperands(command), flags: "-s -S", indent: "        ")
      return "      \(command.name))\n\(body) ;;"
    }
    let states = ["'1:command:->command'", "'*::argument:->argument'"]
    return """
        local -a common=(
      \(common.map { "    \($0)" }.joined(separator: "\n"))
        )
      \(zshArguments(["$common[@]"] + states, flags: "-C -s -S", indent: "  "))
        case $state in
          command)
            local -a commands=(\(names.joined(separator: " ")))
            _describe command commands ;;
          argument)
            case $words[1] in
      \(cases.joined(separator: "\n"))
            esac ;;
        esac
      """
  }

  private func zshArguments(_ specs: [String], flags: String, indent: String) -> String {
    "\(indent)_arguments \(flags) \\\n"
      + specs.map { "\(indent)  \($0)" }.joined(separator: " \\\n")
  }

  private func zshSpec(_ option: Declaration, _ exclusive: [[any Parameter]]) -> String {
    var shutOut = exclusive.map { $0.map(\.declaration) }
      .filter { $0.contains { $0.name == option.name } }.flatMap { $0.flatMap(\.spellings) }
    let repeats = option.occurrence.maximum > 1
    if !repeats { shutOut += option.spellings }
    let prefix = repeats ? "*" : "(\(unique(shutOut).joined(separator: " ")))"
    let specs = option.spellings.map { spelling in
      let equals = option.kind == .option ? (spelling.hasPrefix("--") ? "=" : "+") : ""
      let value =
        option.kind == .option
        ? ":\(zshEscaped(option.metavariable)):\(zshAction(option.completion))" : ""
      return shellQuoted("\(prefix)\(spelling)\(equals)[\(zshEscaped(option.brief))]\(value)")
    }
    return specs.joined(separator: " ")
  }

  private func zshOperands(_ command: Command) -> [String] {
    let operands = command.operands
    // Past one that repeats, places are not known.
    let last = operands.firstIndex { $0.occurrence.maximum > 1 } ?? operands.count
    return operands.prefix(last + 1).enumerated().map { place, operand in
      let message = zshEscaped(operand.name)
      let action = zshAction(operand.completion)
      if operand.occurrence.maximum > 1 { return shellQuoted("*:\(message):\(action)") }
      let optional = operand.occurrence == .optional ? ":" : ""
      return shellQuoted("\(place + 1)\(optional):\(message):\(action)")
    }
  }

  private func zshAction(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .file: "_files"
    case .directory: "_files -/"
    }
  }

  private func zshEscaped(_ text: String) -> String {
    String(text.flatMap { "[]:\\".contains($0) ? ["\\", $0] : [$0] })
  }

  private func unique(_ words: [String]) -> [String] {
    words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
