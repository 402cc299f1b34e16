import CommandLine
import Glibc
import Testing

@Suite struct HelpTests {
  /// What each golden file holds; `AIRLINK_WRITE_GOLDEN=1` writes them anew, for reading in a diff.
  static let golden: [(file: String, text: String)] = [
    ("help-plain.txt", SampleTool.plain.help()),
    ("help-commands.txt", SampleTool.commands.help()),
    ("help-command.txt", SampleTool.commands.help(path: ["accept"])),
    ("airlink-sample.bash", SampleTool.plain.completions(for: .bash)),
    ("_airlink-sample", SampleTool.plain.completions(for: .zsh)),
    ("airlink-sample.fish", SampleTool.plain.completions(for: .fish)),
    ("airlink-samples.bash", SampleTool.commands.completions(for: .bash)),
    ("_airlink-samples", SampleTool.commands.completions(for: .zsh)),
    ("airlink-samples.fish", SampleTool.commands.completions(for: .fish)),
  ]

  @Test("help and completions are what they were", arguments: golden.map(\.file))
  func unchanged(file: String) throws {
    let text = try #require(Self.golden.first { $0.file == file }).text
    if getenv("AIRLINK_WRITE_GOLDEN") != nil {
      let descriptor = open(fixture(file), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      try TextSink.descriptor(descriptor).write(text)
      close(descriptor)
    }
    #expect(String(decoding: try readFile(fixture(file)), as: UTF8.self) == text)
  }

  @Test("help fits 80 columns and names every option, command and operand")
  func complete() {
    for (command, path) in [
      (SampleTool.plain, []), (SampleTool.commands, []), (SampleTool.commands, ["copy"]),
    ] {
      let help = command.help(path: path)
      #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
      let shown = path.isEmpty ? command : command.subcommands.first { $0.name == path[0] }
      for declaration in shown?.declarations ?? [] {
        #expect(help.contains("\(declaration.spelling)"))
      }
      for subcommand in shown?.subcommands ?? [] { #expect(help.contains("  \(subcommand.name)")) }
      #expect(help.contains("-h, --help"))
    }
  }

  @Test(
    "help goes to standard output with 0", arguments: [["--help"], ["-h"], ["-vh", "--bogus"]])
  func asked(words: [String]) {
    let run = Run(SampleTool.plain, words)
    #expect(run.code == .done)
    #expect(run.output == SampleTool.plain.help())
    #expect(run.errors == "")
  }

  @Test("a command's own help is asked for after its name")
  func commandHelp() {
    let run = Run(SampleTool.commands, ["accept", "--help"])
    #expect(run.output == SampleTool.commands.help(path: ["accept"]))
    #expect(
      run.output.hasPrefix("Usage: airlink-samples accept [OPTION]... NUMBER [FINGERPRINT]\n"))
  }

  @Test("wrong usage is one line on standard error with 2")
  func wrongUsage() {
    let run = Run(SampleTool.plain, ["--discvery", "auto"])
    #expect(run.code == .usage)
    #expect(run.output == "")
    #expect(
      run.errors
        == "airlink-sample: error: no option '--discvery'; did you mean --discovery?\n")
  }

  @Test("the version names the program and the libraries it found")
  func version() {
    let run = Run(SampleTool.plain, ["--version"], libraries: [Library("libsodium", "1.0.18")])
    #expect(run.code == .done)
    #expect(run.output == "airlink-sample 0.1.0\nlibsodium 1.0.18\n")
  }

  @Test("the samples' declarations have no flaw, and flaws are found")
  func flaws() {
    #expect(SampleTool.plain.flaws == [])
    #expect(SampleTool.commands.flaws == [])
    let flawed = Command(
      "bad", summary: "Ends in a full stop.",
      parameters: [
        Flag("one", short: "h", help: "Takes help's letter."), Flag("one", help: "Twice."),
        Flag("Big", help: "no sentence"),
        Operand(.text("A"), .repeated, help: "Many."),
        Operand(.text("B"), .repeated, help: "Many."),
      ],
      subcommands: [
        Command("x", summary: "X"),
        Command("x", summary: "X", subcommands: [Command("y", summary: "Y")]),
      ])
    #expect(
      flawed.flaws == [
        "bad: --one: declared twice", "bad: -h: declared twice",
        "bad: --Big: its help is no sentence",
        "bad: --Big: not small letters, digits and hyphens",
        "bad: two operands that repeat", "bad: its summary ends in a full stop",
        "x: commands in a command", "x: declared twice", "bad: both commands and operands",
      ])
  }
}
