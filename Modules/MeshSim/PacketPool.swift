internal import Wire

/// Packets on their way, each held once however many links it is on.
struct PacketPool {
  private var packets: ContiguousArray<Packet?> = []
  private var counts: ContiguousArray<UInt32> = []
  private var free: ContiguousArray<UInt32> = []

  /// Packets held.
  var count: Int { packets.count - free.count }

  subscript(place: UInt32) -> Packet? { packets[Int(place)] }

  /// Takes a packet in that nothing waits for yet.
  mutating func add(_ packet: Packet) -> UInt32 {
    if let place = free.popLast() {
      packets[Int(place)] = packet
      return place
    }
    packets.append(packet)
    counts.append(0)
    return UInt32(packets.count - 1)
  }

  /// One event more waits for it.
  mutating func retain(_ place: UInt32) { counts[Int(place)] += 1 }

  /// An event less waits for it; the last one takes it out.
  mutating func release(_ place: UInt32) {
    counts[Int(place)] -= 1
    discardIfUnused(place)
  }

  mutating func discardIfUnused(_ place: UInt32) {
    guard counts[Int(place)] == 0, packets[Int(place)] != nil else { return }
    packets[Int(place)] = nil
    free.append(place)
  }
}
