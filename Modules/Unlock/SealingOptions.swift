public import CommandLine

/// The options that say how an identity is sealed, the same for all programs.
public enum SealingOptions {
  public static let passphraseFile = Option(
    "passphrase-file", .file("F"),
    help: "Read the passphrase that seals the identity from F; one newline at its end is not part "
      + "of it.")
  public static let keyring = Flag(
    "keyring", help: "The key that seals the identity is in the desktop's keyring.")
  public static let keyFile = Flag(
    "key-file",
    help: "The key that seals the identity is in a file beside it: whoever takes both has it.")

  public static let all: [any Parameter] = [passphraseFile, keyring, keyFile]

  /// The three as an error line names them.
  static let names = "--passphrase-file F, --keyring or --key-file"
}
