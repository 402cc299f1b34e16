internal import Wire

/// Packets for others that wait a moment before they are relayed (`MeshPolicy.relayWait`).
///
/// In a crowd most neighbours have a packet by the time it would reach them from here: whoever sends
/// us a copy while it waits is left out, and may have brought more hops with it.
struct WaitingRelays: Sendable {
  /// Packets that wait at the most; past it a packet is relayed at once.
  static let capacity = 256

  struct Waiting: Sendable {
    let packet: Packet
    let due: Instant
    /// What it is relayed with: the most that any copy came with, less one.
    var hopLimit: UInt8
    /// The links that brought a copy.
    var had: [LinkID]
  }

  private var waiting: [Waiting] = []
  private(set) var deadline: Instant?

  var count: Int { waiting.count }
  var isFull: Bool { waiting.count >= Self.capacity }

  mutating func add(_ packet: Packet, hopLimit: UInt8, from link: LinkID, due: Instant) {
    waiting.append(Waiting(packet: packet, due: due, hopLimit: hopLimit, had: [link]))
    deadline = deadline.map { min($0, due) } ?? due
  }

  /// A copy of a packet already seen came in on `link`.
  ///
  /// Two packets of one id that wait at once are somebody's forgery; a copy of one then counts for
  /// both, which costs its own link at the most what it would have got. `limit` is what hops are cut
  /// to before a packet is relayed.
  mutating func noteCopy(_ header: PacketHeader, from link: LinkID, limit: UInt8) {
    for index in waiting.indices where waiting[index].packet.header.id == header.id {
      if !waiting[index].had.contains(link) { waiting[index].had.append(link) }
      // More hops than its kind may have are not passed on: they would be held against us.
      guard waiting[index].packet.header.crc == header.crc, header.hopLimit > 1,
        header.hopLimit <= header.kind.maximumHopLimit
      else { continue }
      let hopLimit = min(header.hopLimit, limit) - 1
      waiting[index].hopLimit = max(waiting[index].hopLimit, hopLimit)
    }
  }

  /// Takes out a packet whose time has come, the first that came in first.
  mutating func take(at now: Instant) -> Waiting? {
    guard let deadline, deadline <= now, let index = waiting.firstIndex(where: { $0.due <= now })
    else { return nil }
    let taken = waiting.remove(at: index)
    self.deadline = waiting.map(\.due).min()
    return taken
  }
}
