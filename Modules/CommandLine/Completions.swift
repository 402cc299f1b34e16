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

  /// The help's beginning, short enough to stand beside an option in a list.
  var brief: String {
    var text = Substring(help)
    for end in [" (", "; ", ". "] {
      if let range = text.firstRange(of: end) { text = text[..<range.lowerBound] }
    }
    return String(text.hasSuffix(".") ? text.dropLast() : text)
  }
}
