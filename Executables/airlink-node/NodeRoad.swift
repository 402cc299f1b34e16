internal import CallRoad
internal import Discovery
internal import Node
internal import Wire

/// The direct road of calls as the node wants it: datagrams, found by the links' own discovery.
@MainActor
final class NodeRoad: DirectRoad, UDPRoadObserver {
  weak var observer: (any DirectRoadObserver)?
  private let road: UDPRoad

  init(discovery: @escaping () -> (any ServiceDiscovery)?) {
    road = UDPRoad(discovery: discovery)
    road.observer = self
  }

  func offer(_ nonce: CallNonce) { road.offer(nonce) }
  func join(_ nonce: CallNonce) { road.join(nonce) }
  func leave() { road.leave() }
  func send(_ frame: [UInt8]) { road.send(frame) }

  func udpRoad(received datagram: RawSpan) -> DirectEvidence {
    observer?.directRoad(received: datagram) ?? .none
  }

  func udpRoadHasAddress() { observer?.directRoad(hasAddress: true) }
}
