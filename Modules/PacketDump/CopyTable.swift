internal import Wire

/// Which packets were seen, so that copies are known for what they are.
///
/// Copies of one packet have one id and one CRC, which covers all but the hop limit. What was made
/// to look like a copy deceives a reader of captures and nobody else.
struct CopyTable {
  /// Packets remembered; the oldest goes first.
  static let capacity = 65_536

  struct Sighting: Hashable {
    /// 1 for the first.
    var copy = 1
    /// Where the first was seen, and with how many hops left.
    let firstLink: Int
    let firstHopLimit: UInt8
    let firstTime: Int64?
  }

  private struct Key: Hashable {
    let id: PacketID
    let crc: UInt32
  }

  private var seen: [Key: Sighting] = [:]
  private var order: [Key] = []
  private var oldest = 0

  /// Notes a packet on `link` and says which sighting of it this is.
  mutating func note(_ header: PacketHeader, link: Int, time: Int64?) -> Sighting {
    let key = Key(id: header.id, crc: header.crc)
    if var sighting = seen[key] {
      sighting.copy += 1
      seen[key] = sighting
      return sighting
    }
    let sighting = Sighting(firstLink: link, firstHopLimit: header.hopLimit, firstTime: time)
    seen[key] = sighting
    if order.count < Self.capacity {
      order.append(key)
    } else {
      seen[order[oldest]] = nil
      order[oldest] = key
      oldest = (oldest + 1) % Self.capacity
    }
    return sighting
  }
}
