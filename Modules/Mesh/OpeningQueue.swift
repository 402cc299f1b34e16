internal import Wire

/// Sealed packets for us that wait to be opened (PROTOCOL, section 3).
///
/// Opening is the dear part of receiving, and a flood for us costs its link no token: so each link
/// has a bounded queue, and the links take turns, a packet each.
struct OpeningQueue: Sendable {
  /// Packets that wait for one link, and for all those together that went down.
  static let capacityPerLink = 64
  /// Bytes that wait in all.
  static let capacityInBytes = 8 * 1_024 * 1_024

  private struct Lane: Sendable {
    /// Nil for what came in on links that are down by now.
    let link: LinkID?
    var packets: [(packet: Packet, link: LinkID)] = []
    var byteCount = 0
  }

  /// Those with packets waiting, the one whose turn it is first.
  private var lanes: [Lane] = []
  private(set) var count = 0
  private(set) var byteCount = 0

  var isEmpty: Bool { lanes.isEmpty }

  /// Whether as many packets wait for this link as may.
  func isFull(_ link: LinkID) -> Bool {
    lanes.first { $0.link == link }.map { $0.packets.count >= Self.capacityPerLink } ?? false
  }

  /// Puts a packet at the end of its link's queue, which is not full.
  ///
  /// - Returns: what had to go because too many bytes wait: the last ones of the link that holds
  ///   most, which may be this one.
  mutating func append(_ packet: Packet, from link: LinkID) -> [Packet] {
    let lane = lanes.firstIndex { $0.link == link } ?? addLane(link)
    lanes[lane].packets.append((packet, link))
    count(packet, in: lane)
    var shed: [Packet] = []
    while byteCount > Self.capacityInBytes, let last = dropLastOfFullest() { shed.append(last) }
    return shed
  }

  private mutating func dropLastOfFullest() -> Packet? {
    guard let fullest = lanes.indices.max(by: { lanes[$0].byteCount < lanes[$1].byteCount }),
      let packet = lanes[fullest].packets.popLast()?.packet
    else { return nil }
    lanes[fullest].byteCount -= packet.encoded.count
    byteCount -= packet.encoded.count
    count -= 1
    if lanes[fullest].packets.isEmpty { lanes.remove(at: fullest) }
    return packet
  }

  /// Takes out the packet whose turn it is.
  mutating func next() -> (packet: Packet, link: LinkID)? {
    guard !lanes.isEmpty else { return nil }
    var lane = lanes.removeFirst()
    let next = lane.packets.removeFirst()
    let size = next.packet.encoded.count
    lane.byteCount -= size
    byteCount -= size
    count -= 1
    if !lane.packets.isEmpty { lanes.append(lane) }
    return next
  }

  /// Keeps what came in on a link that went down, in the queue of all such links.
  ///
  /// - Returns: what found no room there.
  mutating func linkDown(_ link: LinkID) -> [Packet] {
    guard let left = lanes.firstIndex(where: { $0.link == link }) else { return [] }
    let gone = lanes.remove(at: left)
    count -= gone.packets.count
    byteCount -= gone.byteCount
    let lane = lanes.firstIndex { $0.link == nil } ?? addLane(nil)
    let room = Self.capacityPerLink - lanes[lane].packets.count
    for waiting in gone.packets.prefix(room) {
      lanes[lane].packets.append(waiting)
      count(waiting.packet, in: lane)
    }
    return gone.packets.dropFirst(room).map(\.packet)
  }

  private mutating func addLane(_ link: LinkID?) -> Int {
    lanes.append(Lane(link: link))
    return lanes.count - 1
  }

  private mutating func count(_ packet: Packet, in lane: Int) {
    lanes[lane].byteCount += packet.encoded.count
    byteCount += packet.encoded.count
    count += 1
  }
}
