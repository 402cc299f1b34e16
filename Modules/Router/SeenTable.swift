internal import Wire

/// The packets seen lately, oldest out first.
///
/// A ring of entries in the order they came, and an open-addressed index over it. The index is
/// placed by the keyed hash of the whole content, not by the id: ids are the sender's to choose, and
/// a thousand contents under one id would make one long chain of it. It grows by doubling up to its
/// bound, so a thousand simulated devices cost what they use; looking up never allocates.
struct SeenTable: Sendable {
  /// What was done with the packet, which decides what a copy of it can still bring about.
  enum State: UInt64 {
    /// Not relayed yet, for want of hops.
    case unrelayed = 0
    /// Relayed, or never to be.
    case settled = 1
    /// Sent by this device itself.
    case own = 2
    /// Taken out before its time.
    case forgotten = 3
  }

  private struct Entry: BitwiseCopyable {
    var id: PacketID
    /// The hash, its two lowest bits given to the state: 32 bytes an entry instead of 40.
    var hashAndState: UInt64
    var seenAt: Int64

    var hash: UInt64 { hashAndState & ~3 }
    var state: State { State(rawValue: hashAndState & 3) ?? .settled }
  }

  /// Where an entry stands; good until the table is next changed.
  struct Position { fileprivate let index: Int }

  private static let firstCapacity = 16
  private static let emptySlot = UInt16.max

  let capacity: Int
  private let lifetime: Int64
  private var ring: [Entry] = []
  private var oldest = 0
  private(set) var count = 0
  /// Positions in the ring, at most half of them taken, so that a probe always meets an empty one.
  private var slots: [UInt16] = []

  init(capacity: Int, lifetime: Duration) {
    precondition((1...32_768).contains(capacity), "positions are 16 bits")
    self.capacity = capacity
    self.lifetime = lifetime.wholeNanoseconds
  }

  /// Where this very packet stands, if it was seen within the lifetime.
  func find(_ id: PacketID, hash: UInt64, now: Instant) -> Position? {
    guard let slot = slot(of: id, hash: hash & ~3) else { return nil }
    let index = Int(slots[slot])
    return isExpired(ring[index], now) ? nil : Position(index: index)
  }

  func state(at position: Position) -> State { ring[position.index].state }

  mutating func setState(_ state: State, at position: Position) {
    ring[position.index].hashAndState = ring[position.index].hash | state.rawValue
  }

  /// Enters a packet that `find` does not know.
  mutating func insert(_ id: PacketID, hash: UInt64, state: State, now: Instant) {
    while count > 0, isExpired(ring[oldest], now) { removeOldest() }
    // Only a clock that went back can leave an expired twin behind a younger entry.
    if let twin = slot(of: id, hash: hash & ~3) { forget(slot: twin) }
    if count == capacity { removeOldest() }
    if count == ring.count { grow() }
    var index = oldest + count
    if index >= ring.count { index -= ring.count }
    ring[index] = Entry(
      id: id, hashAndState: hash & ~3 | state.rawValue, seenAt: now.nanoseconds)
    count += 1
    place(index)
  }

  /// Takes an entry out, as if the packet had not been seen.
  mutating func forget(_ id: PacketID, hash: UInt64) {
    if let slot = slot(of: id, hash: hash & ~3) { forget(slot: slot) }
  }

  private mutating func forget(slot: Int) {
    let index = Int(slots[slot])
    empty(slot)
    ring[index].hashAndState |= State.forgotten.rawValue
  }

  private func isExpired(_ entry: Entry, _ now: Instant) -> Bool {
    now.nanoseconds &- entry.seenAt > lifetime
  }

  private mutating func removeOldest() {
    let entry = ring[oldest]
    if entry.state != .forgotten, let slot = slot(of: entry.id, hash: entry.hash) { empty(slot) }
    oldest += 1
    if oldest == ring.count { oldest = 0 }
    count -= 1
  }

  private mutating func grow() {
    let larger = min(max(Self.firstCapacity, ring.count * 2), capacity)
    let blank = Entry(id: PacketID(), hashAndState: State.forgotten.rawValue, seenAt: 0)
    var entries = [Entry](repeating: blank, count: larger)
    for offset in 0..<count { entries[offset] = ring[(oldest + offset) % ring.count] }
    ring = entries
    oldest = 0
    var width = 2
    while width < larger * 2 { width *= 2 }
    slots = [UInt16](repeating: Self.emptySlot, count: width)
    for index in 0..<count where ring[index].state != .forgotten { place(index) }
  }

  // MARK: The index

  private func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 2) & (slots.count - 1)
  }

  private func slot(of id: PacketID, hash: UInt64) -> Int? {
    guard !slots.isEmpty else { return nil }
    var slot = home(hash)
    while slots[slot] != Self.emptySlot {
      let entry = ring[Int(slots[slot])]
      if entry.hash == hash, entry.id == id { return slot }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func place(_ index: Int) {
    var slot = home(ring[index].hash)
    while slots[slot] != Self.emptySlot { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt16(index)
  }

  /// Empties a slot and moves those behind it forward, so that no chain is cut (Knuth, volume 3,
  /// section 6.4, algorithm R).
  private mutating func empty(_ slot: Int) {
    let mask = slots.count - 1
    var hole = slot
    var next = slot
    while true {
      next = (next + 1) & mask
      guard slots[next] != Self.emptySlot else { break }
      let home = home(ring[Int(slots[next])].hash)
      // It may move into the hole only if the hole lies between its home and where it stands.
      if (next - home) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
    }
    slots[hole] = Self.emptySlot
  }
}
