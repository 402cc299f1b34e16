internal import Link
internal import Wire

/// What the policy wants done.
enum BLEEffect: Hashable, Sendable {
  case advertise(AdapterID, Bool)
  case scan(AdapterID, Bool)
  case connect(BLEDevice)
  /// End a connection or the attempt to make one.
  case disconnect(BLEDevice)
  /// Forget what is remembered of its services.
  case forget(BLEDevice)
  /// Tell those above that a link came up.
  case announce(LinkID)
  /// Tell those above that a link is over.
  case down(LinkID, LinkCloseReason)
}
