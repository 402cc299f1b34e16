internal import Capture
internal import Wire

/// Which packets were seen, so that copies are known for what they are.
///
/// Copies of one packet have one id and one CRC, which covers all but the hop limit. What was made
/// to look like a copy deceives a reader of captures and nobody else.
///
/// Every packet comes by here, so it is small enough for a processor's second cache: of id and CRC
/// only a hash of 64 bits is kept, with keys of this run, so that no capture can be made whose
/// packets fall into one place or are taken for each other. A ring of what was seen, in its order,
/// with a chain through it for each of many more heads than chains ever get long: for most packets
/// one head is all that is looked for, and the ring is written from front to back.
struct CopyTable {
  /// Packets remembered, twice as many as a node does; the oldest goes first.
  static let capacity = 16_384
  private static let mask = 2 * capacity - 1

  struct Sighting: Hashable {
    /// 1 for the first.
    var copy = 1
    /// Where the first was seen, and with how many hops left.
    let firstLink: Int
    let firstHopLimit: UInt8
  }

  private struct Entry {
    let hash: UInt64
    var copy: UInt32 = 1
    /// Link and hop limit of the first: 12 bits and 4.
    let first: UInt16
    /// The entry behind it in its chain, counted from 1; 0 where it is the last.
    var next: UInt16

    var sighting: Sighting {
      Sighting(
        copy: Int(copy), firstLink: Int(first >> 4),
        firstHopLimit: UInt8(truncatingIfNeeded: first & 15))
    }
  }

  /// Each chain's first entry, counted from 1; 0 where there is none.
  private var heads = [UInt16](repeating: 0, count: mask + 1)
  /// The oldest stands at `oldest`, once it is full.
  private var ring: [Entry] = []
  private var oldest = 0
  private let keys: (UInt64, UInt64)

  init(keys: (UInt64, UInt64) = (.random(in: 0 ... .max), .random(in: 0 ... .max))) {
    self.keys = keys
    ring.reserveCapacity(Self.capacity)
  }

  /// Notes a packet on `link` and says which sighting of it this is.
  mutating func note(_ header: PacketHeader, link: Int) -> Sighting {
    let hash = hash(of: header)
    let chain = Int(truncatingIfNeeded: hash) & Self.mask
    var place = Int(heads[chain])
    while place > 0 {
      if ring[place - 1].hash == hash {
        if ring[place - 1].copy < .max { ring[place - 1].copy += 1 }
        return ring[place - 1].sighting
      }
      place = Int(ring[place - 1].next)
    }
    let link = UInt16(truncatingIfNeeded: max(0, min(link, PacketReader.maximumLinks - 1)))
    let first = link << 4 | UInt16(header.hopLimit & 15)
    if ring.count < Self.capacity {
      ring.append(Entry(hash: hash, first: first, next: heads[chain]))
      heads[chain] = UInt16(truncatingIfNeeded: ring.count)
    } else {
      unlinkOldest()
      ring[oldest] = Entry(hash: hash, first: first, next: heads[chain])
      oldest += 1
      heads[chain] = UInt16(truncatingIfNeeded: oldest)
      if oldest == Self.capacity { oldest = 0 }
    }
    return Sighting(firstLink: Int(link), firstHopLimit: header.hopLimit)
  }

  /// Takes the oldest entry out of its chain, of which it is the last.
  private mutating func unlinkOldest() {
    let chain = Int(truncatingIfNeeded: ring[oldest].hash) & Self.mask
    let leaving = UInt16(truncatingIfNeeded: oldest + 1)
    var place = Int(heads[chain])
    guard place != Int(leaving) else {
      heads[chain] = ring[oldest].next
      return
    }
    while place > 0 {
      if ring[place - 1].next == leaving {
        ring[place - 1].next = ring[oldest].next
        return
      }
      place = Int(ring[place - 1].next)
    }
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
}
