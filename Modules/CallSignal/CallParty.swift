public import Wire

/// The other side of a call.
public struct CallParty: Hashable, Sendable {
  public let keys: PublicKeys
  public let fingerprint: Fingerprint
  /// Whether an act of our user's made these keys the ones of their number.
  public var isPinned: Bool

  public init(keys: PublicKeys, fingerprint: Fingerprint, isPinned: Bool) {
    self.keys = keys
    self.fingerprint = fingerprint
    self.isPinned = isPinned
  }
}
