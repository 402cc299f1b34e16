public import Wire

/// What a run counted, beside what became of its messages.
public struct Measures: Sendable {
  /// Packets put on a link, and their bytes.
  public struct Traffic: Sendable {
    public var packets = 0
    public var bytes = 0

    mutating func add(_ other: Traffic) {
      packets += other.packets
      bytes += other.bytes
    }
  }

  public var events = 0
  public var arrivals = 0
  public var hellos = Traffic()
  public var sealed = Traffic()
  /// Of `sealed`: the attackers' own.
  public var hostile = Traffic()
  /// Packets that a full queue shed.
  public var shed = 0
  /// Packets of which a chunk was lost.
  public var lostOnAir = 0
  /// Packets under way on a link that went down.
  public var lostWithLink = 0
  public var linksMade = 0
  public var linksClosed = 0
  /// Sealed packets that reached a device, each device counted once for each packet; nil where
  /// that was not counted.
  public var reached: Int?
  /// Sealed packets that set out, receipts and repeats among them.
  public var floods = 0
  /// The most packets under way at once.
  public var mostUnderWay = 0

  mutating func add(_ other: Measures) {
    events += other.events
    arrivals += other.arrivals
    hellos.add(other.hellos)
    sealed.add(other.sealed)
    hostile.add(other.hostile)
    shed += other.shed
    lostOnAir += other.lostOnAir
    lostWithLink += other.lostWithLink
    linksMade += other.linksMade
    linksClosed += other.linksClosed
    if let more = other.reached { reached? += more }
    floods += other.floods
    mostUnderWay = max(mostUnderWay, other.mostUnderWay)
  }
}

/// One text of the plan and what became of it.
public struct SentText: Sendable {
  public let sender: Int
  public let recipient: Int
  /// How many hops lay between the two when it was written; nil when more than the hop limit.
  public internal(set) var distance: Int?
  public internal(set) var hopLimit: UInt8 = 0
  /// Since the world began.
  public let writtenAt: Instant
  public internal(set) var shownAt: Instant?
  public internal(set) var deliveredAt: Instant?
  /// It was lost with its sender's memory, or no receiver would have taken it.
  public internal(set) var isHopeless = false
  let text: String
  let life: Int
}

/// A rule that a run broke.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
  public let seed: UInt64
  /// The event, counted from 1, after which it was seen.
  public let step: Int
  /// Since the world began.
  public let time: Instant
  public let device: Int
  public let rule: String

  public var description: String {
    "seed \(seed), step \(step), device \(device): \(rule)"
  }
}

/// A packet at the end of a link.
public struct Arrival: Sendable {
  public let from: Int
  public let to: Int
  public let radio: String
  public let packet: Packet
  /// Since the world began.
  public let time: Instant
  /// By the clock of the device it reached.
  public let wallClock: Timestamp
  /// Whether it reached the device for the first time, where that is counted.
  public let isNew: Bool
}
