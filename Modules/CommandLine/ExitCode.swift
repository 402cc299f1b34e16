/// How a program ends; every man page names these three and no other.
public enum ExitCode: Int32, Sendable {
  case done = 0
  case failed = 1
  /// Wrong usage: nothing was read and nothing was written.
  case usage = 2
}

/// Why a tool stopped, in words for the person who ran it.
///
/// Throw it from a tool's body: `Command.run` writes it to standard error and ends with its code.
public struct Failure: Error, Equatable, Sendable {
  /// One line, lower case, no full stop: what is wrong.
  public let message: String
  /// What to do next, the command that fixes it where there is one.
  public let hints: [String]
  public let code: ExitCode

  public init(_ message: String, hints: String..., code: ExitCode = .failed) {
    self.message = message
    self.hints = hints
    self.code = code
  }

  /// Wrong usage that only the tool itself can see, such as two options that do not go together.
  public static func usage(_ message: String, hints: String...) -> Failure {
    Failure(message: message, hints: hints, code: .usage)
  }

  private init(message: String, hints: [String], code: ExitCode) {
    self.message = message
    self.hints = hints
    self.code = code
  }
}

/// Why the words of a command line make no sense to its declarations: one line, exit code 2.
public struct UsageError: Error, Equatable, Sendable {
  public let message: String

  public init(_ message: String) { self.message = message }
}
