internal import Wire

/// Which packets were seen, so that copies are known for what they are.
///
/// Copies of one packet have one id and one CRC, which covers all but the hop limit. What was made
/// to look like a copy deceives a reader of captures and nobody else.
///
/// Every packet comes by here, so it is small enough for a processor's second cache: of id and CRC
/// only a hash of 64 bits is kept, with keys of this run, so that no capture can be made whose
/// packets fall into one place or are taken for each other. Open addressing with linear probing.
struct CopyTable {
  /// Packets remembered, twice as many as a node does; the oldest goes first.
  static let capacity = 16_384
  /// Never more than half full.
  private static let mask = 2 * capacity - 1

  struct Sighting: Hashable {
    /// 1 for the first.
    var copy = 1
    /// Where the first was seen, and with how many hops left.
    let firstLink: Int
    let firstHopLimit: UInt8
  }

  private struct Entry {
    var hash: UInt64 = 0
    /// 0 where nothing is.
    var copy: UInt32 = 0
    var firstLink: UInt16 = 0
    var firstHopLimit: UInt8 = 0

    var sighting: Sighting {
      Sighting(copy: Int(copy), firstLink: Int(firstLink), firstHopLimit: firstHopLimit)
    }
  }

  private var entries = [Entry](repeating: Entry(), count: mask + 1)
  /// What is in the table by its age, the oldest at `oldest`.
  private var order: [UInt64] = []
  private var oldest = 0
  private let keys: (UInt64, UInt64)

  init(keys: (UInt64, UInt64) = (.random(in: 0 ... .max), .random(in: 0 ... .max))) {
    self.keys = keys
    order.reserveCapacity(Self.capacity)
  }

  /// Notes a packet on `link` and says which sighting of it this is.
  mutating func note(_ header: PacketHeader, link: Int) -> Sighting {
    let hash = hash(of: header)
    var slot = find(hash)
    if entries[slot].copy > 0 {
      if entries[slot].copy < .max { entries[slot].copy += 1 }
      return entries[slot].sighting
    }
    if order.count == Self.capacity {
      remove(order[oldest])
      order[oldest] = hash
      oldest = (oldest + 1) % Self.capacity
      // What is moved back may have come to stand between.
      slot = find(hash)
    } else {
      order.append(hash)
    }
    let entry = Entry(
      hash: hash, copy: 1, firstLink: UInt16(clamping: link), firstHopLimit: header.hopLimit)
    entries[slot] = entry
    return entry.sighting
  }

  private func hash(of header: PacketHeader) -> UInt64 {
    let (high, low) = withUnsafeBytes(of: header.id) {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    let first = (high ^ keys.0).multipliedFullWidth(by: low ^ keys.1)
    let mixed = first.high ^ first.low ^ UInt64(header.crc)
    let second = (mixed ^ keys.1).multipliedFullWidth(by: keys.0 | 1)
    return second.high ^ second.low
  }

  /// Where the hash stands, or the free slot where it would.
  private func find(_ hash: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: hash) & Self.mask
    while entries[slot].copy > 0, entries[slot].hash != hash { slot = (slot + 1) & Self.mask }
    return slot
  }

  /// Takes an entry out and moves back what it had pushed on, so that no row has a hole.
  private mutating func remove(_ hash: UInt64) {
    var hole = find(hash)
    guard entries[hole].copy > 0 else { return }
    var next = (hole + 1) & Self.mask
    while entries[next].copy > 0 {
      let home = Int(truncatingIfNeeded: entries[next].hash) & Self.mask
      // How far from its home, round the table's end, either place is.
      if (next - home) & Self.mask >= (next - hole) & Self.mask {
        entries[hole] = entries[next]
        hole = next
      }
      next = (next + 1) & Self.mask
    }
    entries[hole].copy = 0
  }
}
