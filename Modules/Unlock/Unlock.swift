public import CommandLine
internal import Desktop
public import Identity

/// How a program comes by the key that opens a home's identity, or seals a new one: from its
/// options, else by asking on the terminal.
public enum Unlock {
  /// The keyring of the user's desktop.
  package static var keyring: any SecretService { DesktopKeyring() }

  /// A key to seal something new with.
  ///
  /// With `canAsk` a passphrase is asked for, twice, when no option says how; without it the
  /// failure names the options and has exit code 2.
  public static func newKey(
    _ arguments: Arguments, canAsk: Bool, _ console: Console
  ) throws(Failure) -> any SealingKey {
    if let choice = SealingChoice(arguments) {
      let key = try choice.key(console)
      try check(key)
      return key
    }
    guard canAsk else {
      throw .usage(
        "say how to seal the identity", hints: "give one of \(SealingOptions.names)")
    }
    return PassphraseKey(try Passphrase.askNew().secret)
  }

  /// Refuses a keyring that cannot be used, before anything is made for it.
  package static func check(_ key: any SealingKey) throws(Failure) {
    do throws(IdentityFileError) {
      try (key as? KeyringKey)?.check()
    } catch {
      throw error.hint.map { Failure("\(error)", hints: $0) } ?? Failure("\(error)")
    }
  }

  /// The key to open the identity that is sealed in the way `kind`.
  ///
  /// A key file or a keyring that the identity itself names needs no option. With `canAsk` a
  /// passphrase is asked for where one is wanted; without it the failure names the option and has
  /// exit code 2.
  public static func existingKey(
    _ arguments: Arguments, kind: SealingKind, canAsk: Bool, _ console: Console
  ) throws(Failure) -> any SealingKey {
    if let choice = SealingChoice(arguments) { return try choice.key(console) }
    switch kind {
    case .keyFile: return KeyFile()
    case .keyring: return KeyringKey(keyring)
    case .passphrase:
      guard canAsk else {
        throw .usage(
          "the identity is sealed with a passphrase, and there is no terminal to ask for it on",
          hints: "give it with --passphrase-file F")
      }
      return PassphraseKey(try Passphrase.ask().secret)
    }
  }
}
