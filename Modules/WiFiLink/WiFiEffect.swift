internal import Discovery
internal import Link
internal import Wire

/// Whom a dial is for.
enum Target: Hashable, Sendable {
  /// A service found on the local network.
  case service(InstanceID)
  /// A peer the user named, by its place in the list.
  case peer(Int)
}

/// One attempt to connect to one address.
struct DialID: Hashable, Sendable {
  let rawValue: UInt64
}

/// What the policy wants done.
enum WiFiEffect: Hashable, Sendable {
  /// Connect; by this interface where it is not 0.
  case dial(DialID, Endpoint, interface: UInt32)
  /// Give an attempt up.
  case cancel(DialID)
  /// Ask discovery where a service is.
  case resolve(ServiceSighting)
  /// Find a named peer's addresses.
  case lookUp(peer: Int)
  /// The link is good: tell those above that it came up.
  case announce(LinkID)
  /// Close a connection that was never announced.
  case refuse(LinkID)
  /// Close a link that was announced.
  case close(LinkID, LinkCloseReason)
  /// Find out quickly whether the other end is still there.
  case probe(LinkID)
  /// Back to the ordinary keepalive.
  case settle(LinkID)
  /// A peer that the user named is this node itself.
  case tellOurselves(peer: Int)
  /// A peer that the user named could not be reached; `isFound`: its address is known at least.
  case tellUnreachable(peer: Int, isFound: Bool)
}
