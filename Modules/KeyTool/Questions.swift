public import CommandLine
public import Identity
internal import Unlock

/// What is asked of the person at the terminal; tests give answers of their own.
public struct Questions: Sendable {
  /// Whether anybody is there to ask.
  public let isAvailable: @Sendable () -> Bool
  /// One line that may be seen.
  public let line: @Sendable (_ prompt: String) throws(Failure) -> String
  /// A passphrase that is known, with the echo off.
  public let passphrase: @Sendable () throws(Failure) -> SecretBytes
  /// A passphrase to come, asked for twice.
  public let newPassphrase: @Sendable () throws(Failure) -> SecretBytes

  public init(
    isAvailable: @escaping @Sendable () -> Bool,
    line: @escaping @Sendable (String) throws(Failure) -> String,
    passphrase: @escaping @Sendable () throws(Failure) -> SecretBytes,
    newPassphrase: @escaping @Sendable () throws(Failure) -> SecretBytes
  ) {
    self.isAvailable = isAvailable
    self.line = line
    self.passphrase = passphrase
    self.newPassphrase = newPassphrase
  }

  /// The controlling terminal, whatever standard input and output are.
  public static let terminal = Questions(
    isAvailable: { TerminalPrompt.isAvailable },
    line: { (prompt: String) throws(Failure) in try TerminalPrompt.ask(prompt) },
    passphrase: { () throws(Failure) in try Passphrase.ask().secret },
    newPassphrase: { () throws(Failure) in try Passphrase.askNew().secret })
}
