public import CommandLine
internal import Desktop
public import Identity

/// How an identity is sealed, as a command line said it.
public enum SealingChoice: Hashable, Sendable {
  case passphraseFile(String)
  case keyring
  case keyFile

  /// What the options say; nil when none of them was given.
  public init?(_ arguments: Arguments) {
    self.init(
      passphraseFile: arguments[SealingOptions.passphraseFile],
      keyring: arguments[SealingOptions.keyring], keyFile: arguments[SealingOptions.keyFile])
  }

  public init?(passphraseFile: String?, keyring: Bool, keyFile: Bool) {
    if let passphraseFile {
      self = .passphraseFile(passphraseFile)
    } else if keyring {
      self = .keyring
    } else if keyFile {
      self = .keyFile
    } else {
      return nil
    }
  }

  public var kind: SealingKind {
    switch self {
    case .passphraseFile: .passphrase
    case .keyring: .keyring
    case .keyFile: .keyFile
    }
  }

  /// The key that was chosen; a passphrase is read now.
  public func key(_ console: Console) throws(Failure) -> any SealingKey {
    try key(console, cost: .moderate)
  }

  /// The same, with a cost of one's own for what is sealed with it: tests have no time for more.
  package func key(
    _ console: Console, cost: PassphraseCost,
    keyring: any SecretService = Unlock.keyring
  ) throws(Failure) -> any SealingKey {
    switch self {
    case .passphraseFile(let path):
      let passphrase = try Passphrase.read(file: path) { console.warning($0) }
      return PassphraseKey(passphrase.secret, cost: cost)
    case .keyring: return KeyringKey(keyring)
    case .keyFile: return KeyFile()
    }
  }
}

extension Passphrase {
  /// A copy among the secrets of an identity.
  package var secret: SecretBytes { withBytes { SecretBytes(copying: $0) } }
}
