internal import Wire

/// Sealed packets for us that wait to be opened (PROTOCOL, section 3).
///
/// Opening is the dear part of receiving, and a flood for us costs its link no token: so each link
/// has a bounded queue, and the links take turns, a packet each.
struct OpeningQueue: Sendable {
  /// Packets that wait for one link, and for all those together that went down.
  ///
  /// As many as the router remembers, and as many messages as one outbox may have under way at once:
  /// a burst of them is opened, instead of being shed and coming again half a minute later.
  static let capacityPerLink = 1_024
  /// Bytes that wait in all.
  static let capacityInBytes = 8 * 1_024 * 1_024

  private typealias Waiting = (packet: Packet, link: LinkID)

  /// Packets in the order they came: two stacks, so that neither end moves the others.
  private struct Lane: Sendable {
    /// Nil for what came in on links that are down by now.
    let link: LinkID?
    /// The next one last.
    private var older: [Waiting] = []
    private var newer: [Waiting] = []
    var byteCount = 0

    init(link: LinkID?) { self.link = link }

    var count: Int { older.count + newer.count }

    var packets: [Waiting] { older.reversed() + newer }

    mutating func append(_ waiting: Waiting) { newer.append(waiting) }

    mutating func popFirst() -> Waiting? {
      if older.isEmpty {
        older = newer.reversed()
        newer.removeAll(keepingCapacity: true)
      }
      return older.popLast()
    }

    mutating func popLast() -> Waiting? {
      newer.popLast() ?? (older.isEmpty ? nil : older.removeFirst())
    }
  }

  /// Those with packets waiting, the one whose turn it is first.
  private var lanes: [Lane] = []
  private(set) var count = 0
  private(set) var byteCount = 0

  var isEmpty: Bool { lanes.isEmpty }

  /// Whether as many packets wait for this link as may.
  func isFull(_ link: LinkID) -> Bool {
    lanes.first { $0.link == link }.map { $0.count >= Self.capacityPerLink } ?? false
  }

  /// Puts a packet at the end of its link's queue, which is not full.
  ///
  /// - Returns: what had to go because too many bytes wait: the last ones of the link that holds
  ///   most, which may be this one.
  mutating func append(_ packet: Packet, from link: LinkID) -> [Packet] {
    let lane = lanes.firstIndex { $0.link == link } ?? addLane(link)
    lanes[lane].append((packet, link))
    count(packet, in: lane)
    var shed: [Packet] = []
    while byteCount > Self.capacityInBytes, let last = dropLastOfFullest() { shed.append(last) }
    return shed
  }

  private mutating func dropLastOfFullest() -> Packet? {
    guard let fullest = lanes.indices.max(by: { lanes[$0].byteCount < lanes[$1].byteCount }),
      let packet = lanes[fullest].popLast()?.packet
    else { return nil }
    lanes[fullest].byteCount -= packet.encoded.count
    byteCount -= packet.encoded.count
    count -= 1
    if lanes[fullest].count == 0 { lanes.remove(at: fullest) }
    return packet
  }

  /// Takes out the packet whose turn it is.
  mutating func next() -> (packet: Packet, link: LinkID)? {
    guard !lanes.isEmpty else { return nil }
    var lane = lanes.removeFirst()
    guard let next = lane.popFirst() else { return nil }
    let size = next.packet.encoded.count
    lane.byteCount -= size
    byteCount -= size
    count -= 1
    if lane.count > 0 { lanes.append(lane) }
    return next
  }

  /// Keeps what came in on a link that went down, in the queue of all such links.
  ///
  /// - Returns: what found no room there.
  mutating func linkDown(_ link: LinkID) -> [Packet] {
    guard let left = lanes.firstIndex(where: { $0.link == link }) else { return [] }
    let gone = lanes.remove(at: left)
    count -= gone.count
    byteCount -= gone.byteCount
    let lane = lanes.firstIndex { $0.link == nil } ?? addLane(nil)
    let room = Self.capacityPerLink - lanes[lane].count
    let packets = gone.packets
    for waiting in packets.prefix(room) {
      lanes[lane].append(waiting)
      count(waiting.packet, in: lane)
    }
    return packets.dropFirst(room).map(\.packet)
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
