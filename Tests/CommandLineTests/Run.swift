import CommandLine

/// One run of a tool with streams in memory.
struct Run {
  let code: ExitCode
  let output: String
  let errors: String

  init(
    _ command: Command, _ words: [String], libraries: [Library] = [],
    environment: [String: String] = [:], isTerminal: Bool = false,
    body: (Arguments, Console) throws -> ExitCode = { _, _ in .done }
  ) {
    let (output, errors) = (RecordedText(), RecordedText())
    code = command.run(
      Invocation(
        words, environment: environment, output: output.sink(isTerminal: isTerminal),
        errors: errors.sink(isTerminal: isTerminal)),
      libraries: libraries, body)
    self.output = output.text
    self.errors = errors.text
  }
}

/// Numbers from one seed, the same in every run.
struct TestRandom: RandomNumberGenerator {
  /// Named in the messages of tests that draw from it.
  static let seed: UInt64 = 0x5EED
  private var state: UInt64

  init(seed: UInt64 = TestRandom.seed) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
