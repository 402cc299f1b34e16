/// What a datagram that came directly says of where it came from (PROTOCOL, section 7).
public enum DirectEvidence: Hashable, Sendable {
  /// Nothing: it is no frame of the call, or was had directly before.
  case none
  /// A frame that a link had brought already: the other side may be there.
  case hint
  /// A frame had for the first time: the other side is there.
  case proof
}
