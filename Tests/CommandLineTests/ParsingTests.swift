import CommandLine
import Testing

private func arguments(
  _ command: Command, _ words: String...
) throws -> Arguments {
  guard case .run(let arguments) = try command.parse(words) else {
    throw Failure("nothing to run in \(words)")
  }
  return arguments
}

@Suite struct ParsingTests {
  let plain = SampleTool.plain
  let commands = SampleTool.commands

  @Test("a value may follow a space, an equals sign or a letter")
  func valueSpellings() throws {
    for words in [["--listen", "4000"], ["--listen=4000"], ["-l", "4000"], ["-l4000"]] {
      guard case .run(let arguments) = try plain.parse(words) else {
        Issue.record("nothing to run in \(words)")
        continue
      }
      #expect(arguments[SampleTool.listen] == 4000)
    }
  }

  @Test("what is not given is not there")
  func absent() throws {
    let none = try arguments(plain)
    #expect(none[SampleTool.listen] == nil)
    #expect(none[SampleTool.listen, default: 7] == 7)
    #expect(!none[Common.json])
    #expect(none.all(SampleTool.peer) == [])
    #expect(none.path == [])
  }

  @Test("values keep their order, letters stand together, an enumeration is one of its cases")
  func manyAtOnce() throws {
    let given = try arguments(
      plain, "-vqv", "-p", "a:1", "--discovery=embedded", "-pb:2", "--gain", "-6", "-vp=c")
    #expect(given.all(SampleTool.peer) == ["a:1", "b:2", "=c"])
    #expect(given.count(of: SampleTool.verbose) == 3)
    #expect(given[SampleTool.quiet])
    #expect(given[SampleTool.discovery] == .embedded)
    #expect(given[SampleTool.gain] == -6)
  }

  @Test("options of the program stand before or after the command")
  func inherited() throws {
    for words in [["--home", "d", "create"], ["create", "--home", "d"]] {
      guard case .run(let given) = try commands.parse(words) else { continue }
      #expect(given.path == ["create"])
      #expect(given[Common.home] == "d")
    }
  }

  @Test("operands take what they may and leave what later ones need")
  func operands() throws {
    let one = try arguments(commands, "accept", "N")
    #expect(one[SampleTool.number] == "N")
    #expect(one[SampleTool.fingerprint] == nil)
    let two = try arguments(commands, "accept", "N", "F")
    #expect(two[SampleTool.fingerprint] == "F")
    let copied = try arguments(commands, "copy", "a", "b", "c")
    #expect(copied.all(SampleTool.files) == ["a", "b"])
    #expect(try copied.required(SampleTool.target) == "c")
  }

  @Test("a hyphen is an operand, and two end the options")
  func hyphens() throws {
    #expect(try arguments(commands, "import", "-")[SampleTool.file] == "-")
    #expect(try arguments(commands, "import", "--", "--odd")[SampleTool.file] == "--odd")
    #expect(try arguments(commands, "import", "--", "--")[SampleTool.file] == "--")
  }

  @Test(
    "wrong usage is named with the word at fault and the nearest right one",
    arguments: [
      ("--discvery auto", "no option '--discvery'; did you mean --discovery?"),
      ("--disc", "no option '--disc'; did you mean --discovery?"),
      ("-listen", "no option '-listen'; did you mean --listen?"),
      ("-quite", "no option '-quite'; did you mean --quiet?"),
      ("-x", "no option '-x'; see airlink-sample --help"),
      ("--xyzzy", "no option '--xyzzy'; see airlink-sample --help"),
      (
        "--discovery deamon",
        "--discovery is one of auto, daemon, embedded, off, not 'deamon'; did you mean daemon?"
      ),
      ("--listen 70000", "--listen wants a whole number from 0 to 65535, not '70000'"),
      ("--listen +5", "--listen wants a whole number from 0 to 65535, not '+5'"),
      ("--gain nan", "--gain wants a number from -60.0 to 60.0, not 'nan'"),
      ("--name=", "--name wants a value that is not empty"),
      ("--name", "--name wants a value: --name NAME"),
      ("--name --", "--name wants a value: --name NAME, before '--'"),
      ("--name --json", "--name wants a value: --name NAME, before '--json'"),
      ("--json=yes", "--json takes no value"),
      ("--name a --name b", "--name is given twice"),
      (
        "--keyring --passphrase-file f",
        "--passphrase-file and --keyring exclude each other; give one of them"
      ),
      ("spare", "'spare' is one word too many; see airlink-sample --help"),
    ])
  func wrongUsage(line: String, message: String) {
    #expect(throws: UsageError(message)) {
      try plain.parse(line.split(separator: " ").map(String.init))
    }
  }

  @Test(
    "a wrong command is named with the nearest right one",
    arguments: [
      (
        "",
        "say what to do: create, show, accept, import, copy, cancel; "
          + "see airlink-samples --help"
      ),
      ("shwo", "no command 'shwo'; did you mean show?"),
      ("zzz", "no command 'zzz'; there is create, show, accept, import, copy, cancel"),
      ("accept", "NUMBER is missing; see airlink-samples accept --help"),
      ("accept a b c", "'c' is one word too many; see airlink-samples accept --help"),
      ("copy a", "TARGET is missing; see airlink-samples copy --help"),
      ("cancel", "--far F.wav is missing; see airlink-samples cancel --help"),
      ("create --jsn", "no option '--jsn'; see airlink-samples create --help"),
    ])
  func wrongCommand(line: String, message: String) {
    #expect(throws: UsageError(message)) {
      try commands.parse(line.split(separator: " ").map(String.init))
    }
  }

  @Test("a wrong word from outside cannot reach the terminal raw")
  func hostileWord() {
    let run = Run(plain, ["--\u{1B}]0;x\u{7}\u{202E}"])
    #expect(run.code == .usage)
    #expect(
      run.errors == "airlink-sample: error: no option '--\u{FFFD}]0;x\u{FFFD}\u{FFFD}'; "
        + "see airlink-sample --help\n")
  }

  @Test("any words are read or refused, never a crash")
  func anyWords() {
    var random = TestRandom()
    let parts = [
      "--", "-", "=", "name", "listen", "v", "l", "p", "accept", "create", "\u{301}", "",
    ]
    for _ in 0..<3000 {
      let words = (0..<random.below(6)).map { _ in
        (0..<random.below(5)).map { _ in parts[random.below(parts.count)] }.joined()
      }
      _ = try? plain.parse(words)
      _ = try? commands.parse(words)
    }
  }
}
