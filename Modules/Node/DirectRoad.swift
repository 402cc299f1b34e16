public import Wire

/// The direct road of a call, as the node uses it: datagrams between the two devices, found through
/// the network's own service discovery.
@MainActor
public protocol DirectRoad: AnyObject {
  /// Who is told what comes of it.
  var observer: (any DirectRoadObserver)? { get set }
  /// Publishes the road of our call under this name.
  func offer(_ nonce: CallNonce)
  /// Looks for the road of this name.
  func join(_ nonce: CallNonce)
  /// Gives up whatever is offered or joined.
  func leave()
  /// Sends one frame to wherever the other side is taken to be.
  func send(_ frame: [UInt8])
}

/// Told of the direct road.
@MainActor
public protocol DirectRoadObserver: AnyObject {
  /// Takes a datagram in.
  ///
  /// - Returns: what it says of where it came from.
  func directRoad(received datagram: RawSpan) -> DirectEvidence
  /// There is an address to send to, or none any more.
  func directRoad(hasAddress: Bool)
}
