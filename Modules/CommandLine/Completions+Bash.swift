extension Command {
  /// Needs bash 4 and nothing of the bash-completion package.
  var bashCompletions: String {
    let common = options + Common.always
    let own = subcommands.flatMap { command in
      command.options.compactMap { bashValueCase($0, "\(command.name):") }
    }
    let values = (own + common.compactMap { bashValueCase($0, "*:") }).joined(separator: "\n")
    let all = subcommands.isEmpty ? [self] : [self] + subcommands
    let valued = (common + subcommands.flatMap(\.options)).filter { $0.kind == .option }
      .flatMap(\.spellings)
    return """
      # bash completions for \(name) \(airLinkVersion); made by \(name) --completions bash
      \(completionFunction)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local command= word i
        COMPREPLY=()
        # bash cuts --option=value into three words.
        if [[ $current == = ]]; then
          current=
        elif [[ $previous == = && $COMP_CWORD -gt 2 ]]; then
          previous=${COMP_WORDS[COMP_CWORD-2]}
        fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          word=${COMP_WORDS[i]}
          case $word in
            \(valued.joined(separator: "|")))
              [[ ${COMP_WORDS[i+1]} == = ]] && ((i++))
              ((i++)) ;;
            -*|=) ;;
            *) command=$word; break ;;
          esac
        done
        case $command:$previous in
      \(values)
        esac
        local words=\(shellQuoted(common.flatMap(\.spellings).joined(separator: " ")))
        case $command in
      \(all.map { bashCommandCase($0) }.joined(separator: "\n"))
      \(subcommands.isEmpty ? "" : "    *) words= ;;")
        esac
        if [[ $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
      }
      complete -F \(completionFunction) \(name)

      """
  }

  private func bashValueCase(_ option: Declaration, _ command: String) -> String? {
    guard option.kind == .option else { return nil }
    let patterns = option.spellings.map { command + $0 }.joined(separator: "|")
    return "    \(patterns)) \(bashReply(option.completion)); return ;;"
  }

  private func bashCommandCase(_ command: Command) -> String {
    let isRoot = command.name == name
    let options = isRoot ? [] : command.options
    let own = options.flatMap(\.spellings).map { " \($0)" }.joined()
    let completion: Completion =
      isRoot && !subcommands.isEmpty
      ? .words(subcommands.map(\.name))
      : command.operands.map(\.completion).first { $0 != .nothing } ?? .nothing
    let pattern = isRoot ? (subcommands.isEmpty ? "*" : "''") : command.name
    return "    \(pattern)) if [[ $current == -* ]]; then words+=\(shellQuoted(own)); "
      + "else words=; \(bashReply(completion)); fi ;;"
  }

  private func bashReply(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ":"
    case .words(let words):
      "mapfile -t COMPREPLY < <(compgen -W \(shellQuoted(words.joined(separator: " "))) "
        + "-- \"$current\")"
    case .file:
      "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
    case .directory:
      "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
    }
  }
}

/// A text as one word of a Bourne-like shell.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}
