internal import Glibc

/// What a tool writes to: results to standard output, everything said about them to standard error.
public struct Console: Sendable {
  /// The program's name, which begins every error and warning.
  public let program: String
  public let output: TextSink
  public let errors: TextSink
  /// Whether standard output takes colours.
  public let colors: Bool
  /// Whether standard error takes colours.
  public let errorColors: Bool

  public init(
    program: String, output: TextSink, errors: TextSink, color: ColorChoice = .auto,
    environment: [String: String] = [:]
  ) {
    self.program = program
    self.output = output
    self.errors = errors
    colors = color.isOn(isTerminal: output.isTerminal, environment: environment)
    errorColors = color.isOn(isTerminal: errors.isTerminal, environment: environment)
  }

  /// Writes one line of result.
  public func print(_ line: String) throws(WriteError) { try output.write(line + "\n") }

  /// Writes one object as one line of result.
  public func print(_ object: JSONObject) throws(WriteError) { try output.write(object.line) }

  /// `program: error: message`, then a `hint:` line for each thing to do next.
  ///
  /// That standard error is gone is nothing that could be said anywhere.
  public func error(_ message: String, hints: [String] = []) {
    let label = TextStyle.red.apply("error:", isOn: errorColors)
    try? errors.write(
      (["\(program): \(label) \(message)"] + hints.map { "hint: \($0)" })
        .map { $0 + "\n" }.joined())
  }

  public func warning(_ message: String) {
    let label = TextStyle.yellow.apply("warning:", isOn: errorColors)
    try? errors.write("\(program): \(label) \(message)\n")
  }

  /// Progress and answers to actions, on standard error.
  public func note(_ message: String) { try? errors.write("\(program): \(message)\n") }
}

/// What a run was started with: words, environment and streams.
public struct Invocation: Sendable {
  /// Without the program's own name.
  public let words: [String]
  public let environment: [String: String]
  public let output: TextSink
  public let errors: TextSink
  /// The first word that was no UTF-8, mended: it cannot be taken at its word.
  var flawedWord: String?

  public init(
    _ words: [String], environment: [String: String] = [:], output: TextSink,
    errors: TextSink
  ) {
    self.words = words
    self.environment = environment
    self.output = output
    self.errors = errors
  }

  /// This process's own; a closed pipe becomes an ordinary error of `write`.
  ///
  /// Call it before anything is opened: it takes the place of standard streams that are not there.
  public static func process() -> Invocation {
    StandardStreams.occupy()
    signal(SIGPIPE, SIG_IGN)
    let words = Swift.CommandLine.arguments.dropFirst()
    var invocation = Invocation(
      Array(words), environment: ProcessEnvironment.all(), output: .standardOutput,
      errors: .standardError)
    invocation.flawedWord =
      words.enumerated().first { place, word in
        let raw = Swift.CommandLine.unsafeArgv[place + 1]
        return raw.map { strcmp($0, word) != 0 } ?? false
      }?.element
    return invocation
  }
}

/// The environment this process was started with.
public enum ProcessEnvironment {
  /// All variables whose text is UTF-8; another cannot be taken at its word and counts as unset.
  public static func all() -> [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      if let pair = String(validatingCString: text), let equals = pair.firstIndex(of: "=") {
        result[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
      }
      entry += 1
    }
    return result
  }
}
