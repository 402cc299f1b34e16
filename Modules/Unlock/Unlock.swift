public import CommandLine
public import Identity

/// How a program comes by the key that opens a home's identity, or seals a new one: from its
/// options, else by asking on the terminal.
public enum Unlock {
  /// A key to seal something new with.
  ///
  /// With `canAsk` a passphrase is asked for, twice, when no option says how; without it the
  /// failure names the options and has exit code 2.
  public static func newKey(
    _ arguments: Arguments, canAsk: Bool, _ console: Console
  ) throws(Failure) -> any SealingKey {
    if let key = try keyFromOptions(arguments, console) { return key }
    guard canAsk else {
      throw .usage(
        "say how to seal the identity", hints: "give one of \(SealingOptions.names)")
    }
    return key(try Passphrase.askNew())
  }

  /// The key to open the identity that is sealed in the way `kind`.
  ///
  /// A key file or a keyring that the identity itself names needs no option. With `canAsk` a
  /// passphrase is asked for where one is wanted; without it the failure names the option and has
  /// exit code 2.
  public static func existingKey(
    _ arguments: Arguments, kind: SealingKind, canAsk: Bool, _ console: Console
  ) throws(Failure) -> any SealingKey {
    if let key = try keyFromOptions(arguments, console) { return key }
    switch kind {
    case .keyFile: return KeyFile()
    case .keyring: return KeyringKey(nil)
    case .passphrase:
      guard canAsk else {
        throw .usage(
          "the identity is sealed with a passphrase, and there is no terminal to ask for it on",
          hints: "give it with --passphrase-file F")
      }
      return key(try Passphrase.ask())
    }
  }

  private static func keyFromOptions(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> (any SealingKey)? {
    if let file = arguments[SealingOptions.passphraseFile] {
      return key(try Passphrase.read(file: file) { console.warning($0) })
    }
    if arguments[SealingOptions.keyring] { return KeyringKey(nil) }
    if arguments[SealingOptions.keyFile] { return KeyFile() }
    return nil
  }

  private static func key(_ passphrase: consuming Passphrase) -> any SealingKey {
    PassphraseKey(passphrase.withBytes { SecretBytes(copying: $0) })
  }
}
