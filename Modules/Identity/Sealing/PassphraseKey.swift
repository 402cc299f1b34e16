internal import CSodium

/// A key from a passphrase, by Argon2id with the salt and cost that the file's header names.
public final class PassphraseKey: SealingKey {
  /// In bytes; far over what anybody types, and a bound on what a file can make us hold.
  public static let maximumLength = 1_024

  public var kind: SealingKind { .passphrase }

  private let passphrase: SecretBytes
  private let cost: PassphraseCost

  /// Takes the passphrase over; it is wiped when this goes.
  public convenience init(_ passphrase: consuming SecretBytes) {
    self.init(passphrase, cost: .moderate)
  }

  /// With a cost of one's own for files that are made; each file is opened at the cost it names.
  package init(_ passphrase: consuming SecretBytes, cost: PassphraseCost) {
    self.passphrase = passphrase
    self.cost = cost
  }

  public func makeHeader() -> SealingHeader { .passphrase(cost) }

  public func prepare(_: SealingHeader, in _: Home) throws(IdentityFileError) -> Bool {
    guard passphrase.count > 0 else { throw .emptyPassphrase }
    return false
  }

  public func key(
    for header: SealingHeader, in home: Home
  ) throws(IdentityFileError) -> SecretBytes {
    guard let cost = header.cost else { throw .otherSealing(header.kind) }
    var key = SecretBytes(count: SecretBox.keyLength)
    let done = key.withUnsafeMutableBytes { key in
      passphrase.withUnsafeBytes { passphrase in
        crypto_pwhash_argon2id(
          key.sodium, UInt64(key.count),
          UnsafeRawPointer(passphrase.sodium).assumingMemoryBound(
            to: CChar.self), UInt64(passphrase.count), header.salt, UInt64(cost.operations),
          Int(cost.memoryBytes), crypto_pwhash_argon2id_ALG_ARGON2ID13) == 0
      }
    }
    guard done else { throw .notEnoughMemory(bytes: cost.memoryBytes) }
    return key
  }
}
