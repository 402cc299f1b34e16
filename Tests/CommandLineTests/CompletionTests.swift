import CommandLine
import Testing

/// Asks the real shells, where they are installed.
@Suite struct CompletionTests {
  static func missing(_ shell: Shell) -> Comment {
    "\(shell.rawValue) is not installed, so its completions cannot be tried"
  }

  private func script(_ command: Command, _ shell: Shell) throws -> TemporaryFile {
    try TemporaryFile(command.completions(for: shell), suffix: ".\(shell.rawValue)")
  }

  private static func command(_ line: String) -> Command {
    line.hasPrefix("airlink-samples") ? SampleTool.commands : SampleTool.plain
  }

  @Test("each shell reads its script without complaint", arguments: Shell.allCases)
  func syntax(shell: Shell) throws {
    guard let path = Subprocess.find(shell.rawValue) else {
      try Test.cancel(Self.missing(shell))
    }
    for command in [SampleTool.plain, SampleTool.commands] {
      let file = try script(command, shell)
      let run = try Subprocess(path, [shell == .fish ? "--no-execute" : "-n", file.path])
      #expect(run.status == 0)
      #expect(run.output == "")
    }
  }

  /// A line as typed so far, and what completes its last word.
  static let lines: [(String, [String])] = [
    ("airlink-sample --dis", ["--discovery"]),
    ("airlink-sample --discovery ", ["auto", "daemon", "embedded", "off"]),
    ("airlink-sample --listen 1 --discovery e", ["embedded"]),
    ("airlink-sample --discovery=d", ["daemon"]),
    ("airlink-sample --home /usr/li", ["/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec"]),
    ("airlink-sample --passphrase-file /etc/host.", ["/etc/host.conf"]),
    ("airlink-samples ", ["accept", "cancel", "copy", "create", "import", "show"]),
    ("airlink-samples --home /x c", ["cancel", "copy", "create"]),
    ("airlink-samples create --na", ["--name"]),
    ("airlink-samples create --ho", ["--home"]),
    ("airlink-samples --home /x show --js", ["--json"]),
    ("airlink-samples show --na", []),
    ("airlink-samples import /etc/host.", ["/etc/host.conf"]),
    ("airlink-samples copy /usr/libe", ["/usr/libexec"]),
    ("airlink-samples accept n", []),
  ]

  @Test("bash completes options, values, commands and files", arguments: lines)
  func bash(line: String, expected: [String]) throws {
    guard let path = Subprocess.find("bash") else { try Test.cancel(Self.missing(.bash)) }
    let file = try script(Self.command(line), .bash)
    // As bash itself cuts words: "=" stands alone.
    let words = line.split(separator: " ", omittingEmptySubsequences: false).flatMap { word in
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      return parts.count == 2 ? [parts[0], "=", parts[1]] : [String(word)]
    }
    let run = try Subprocess(
      path,
      [
        "-c",
        "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
          + "_\(Self.command(line).name.replacing("-", with: "_")); "
          + "printf '%s\\n' \"${COMPREPLY[@]}\"", "bash", file.path,
      ] + words)
    let found = run.output.split(separator: "\n").map(String.init).sorted()
    #expect(found == expected.filter { exists($0) })
  }

  @Test("fish completes options, values, commands and files", arguments: lines)
  func fish(line: String, expected: [String]) throws {
    guard let path = Subprocess.find("fish") else { try Test.cancel(Self.missing(.fish)) }
    let file = try script(Self.command(line), .fish)
    let run = try Subprocess(
      path, ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", file.path, line])
    let found = run.output.split(separator: "\n").map { entry in
      // A description stands after a tabulator, a folder ends in a slash, and where the value is
      // attached the whole word is given back.
      var word = String(entry.prefix { $0 != "\t" })
      if word.hasSuffix("/") { word.removeLast() }
      return word.hasPrefix("--") && word.contains("=")
        ? String(word.drop { $0 != "=" }.dropFirst()) : word
    }
    #expect(found.sorted() == expected.filter { exists($0) })
  }

  @Test("zsh completes options, values, commands and files")
  func zsh() throws {
    guard let path = Subprocess.find("zsh") else { try Test.cancel(Self.missing(.zsh)) }
    let plain = try script(SampleTool.plain, .zsh)
    let commands = try script(SampleTool.commands, .zsh)
    // One zsh in a terminal of its own, for it takes long to start: types each line and a
    // tabulator, then shows what became of it. Where several words fit nothing is typed for us.
    let lines = Self.lines.filter { $0.1.count == 1 }
    let run = try Subprocess(
      "/usr/bin/timeout",
      [
        "60", path, "-f", "-c",
        """
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1= PS2=; autoload -U compinit; compinit -u -D; source $1; source $2"
        zpty -w shell 'dump() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N dump'
        zpty -w shell 'bindkey "^T" dump'
        for line in "${@:3}"; do zpty -w -n shell $line$'\\t\\x14'; done
        zpty -w shell exit
        while zpty -r shell part; do print -rn -- $part; done
        """, "zsh", plain.path, commands.path,
      ] + lines.map(\.0))
    let dumped = run.output.split(separator: "<<").dropFirst().map { $0.prefix { $0 != ">" } }
      .filter { !$0.hasPrefix("$") }
    #expect(dumped.count == lines.count)
    for ((line, expected), result) in zip(lines, dumped) {
      var last = String(result.split { $0 == " " || $0 == "=" }.last ?? "")
      if last.hasSuffix("/") { last.removeLast() }
      #expect([last] == expected.filter { exists($0) }, "\(line)")
    }
  }

  /// Systems differ in the folders they have.
  private func exists(_ word: String) -> Bool {
    !word.hasPrefix("/") || (try? Subprocess("/usr/bin/test", ["-e", word]))?.status == 0
  }
}
