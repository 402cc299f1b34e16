/// A way to the key that seals an identity file.
public protocol SealingKey: Sendable {
  var kind: SealingKind { get }

  /// The header of a file about to be sealed in this way.
  func makeHeader() -> SealingHeader

  /// Sees to it that there is a key for a file with this header, which is about to be written.
  ///
  /// Called under the identity's lock. True when it made something that `discard` has to take away
  /// again should the file not come to be.
  func prepare(_ header: SealingHeader, in home: Home) throws(IdentityFileError) -> Bool

  /// The key, 32 bytes, of a file with this header.
  func key(for header: SealingHeader, in home: Home) throws(IdentityFileError) -> SecretBytes

  /// Removes what it keeps for a file with this header, which is no more.
  func discard(_ header: SealingHeader, in home: Home)
}

extension SealingKey {
  public func prepare(_: SealingHeader, in _: Home) throws(IdentityFileError) -> Bool { false }
  public func discard(_: SealingHeader, in _: Home) {}
}
