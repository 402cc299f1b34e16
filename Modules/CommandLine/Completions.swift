extension Command {
  /// A script that teaches a shell to complete this program's command line, ending in a newline.
  public func completions(for shell: Shell) -> String {
    switch shell {
    case .bash: bashCompletions
    case .zsh: zshCompletions
    case .fish: fishCompletions
    }
  }

  /// `_airlink_node`: the program's name as a shell function's.
  var completionFunction: String { "_" + String(name.map { $0 == "-" ? "_" : $0 }) }
}

extension Declaration {
  /// Every way to write an option: `-h`, `--help`.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + [spelling] }
}
