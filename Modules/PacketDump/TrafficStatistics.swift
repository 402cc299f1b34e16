internal import Capture
internal import CommandLine
internal import Wire

/// What went over the links in all, for `--stats`.
struct TrafficStatistics {
  /// Pairs of links that are told apart for copies; further ones are not counted by pair.
  static let maximumRoads = 1_024

  struct Traffic: Hashable {
    var packets = 0
    var bytes = 0
    /// Packets seen before, on whatever link.
    var copies = 0
    /// Copies with fewer hops left than the first.
    var relayed = 0
    /// Packets that nodes take no notice of.
    var refused = 0

    mutating func count(_ facts: PacketFacts) {
      packets += 1
      bytes += facts.header.packetLength
      if facts.isCopy { copies += 1 }
      if facts.hopsSinceFirst > 0 { relayed += 1 }
      if facts.refused != nil { refused += 1 }
    }
  }

  struct Link: Hashable {
    var traffic = Traffic()
    var inbound = 0
    var outbound = 0
    var losses = 0
    var lostBytes = 0
    var badChecksums = 0

    mutating func count(_ facts: PacketFacts) {
      traffic.count(facts)
      switch facts.crossing.direction {
      case .inbound: inbound += 1
      case .outbound: outbound += 1
      case nil: break
      }
    }
  }

  /// The link a packet was first seen on, and the one a copy came by.
  struct Road: Hashable {
    let first: Int
    let again: Int
  }

  private(set) var total = Traffic()
  /// By the number of the kind.
  private var kindTable = [Traffic](repeating: Traffic(), count: 256)
  /// By the link's place.
  private var linkTable: [Link] = []
  private(set) var roads: [Road: Int] = [:]
  private(set) var losses: [String: Int] = [:]
  private(set) var firstTime: CaptureTime?
  private(set) var lastTime: CaptureTime?

  mutating func count(_ facts: PacketFacts) {
    total.count(facts)
    kindTable[Int(facts.header.kind.rawValue)].count(facts)
    makeRoom(for: facts.crossing.link)
    linkTable[facts.crossing.link].count(facts)
    if facts.isCopy {
      let road = Road(first: facts.sighting.firstLink, again: facts.crossing.link)
      if roads[road] != nil || roads.count < Self.maximumRoads { roads[road, default: 0] += 1 }
    }
    guard let time = facts.crossing.time else { return }
    firstTime = min(firstTime ?? time, time)
    lastTime = max(lastTime ?? time, time)
  }

  mutating func count(_ loss: Loss, on link: Int) {
    losses[loss.code, default: 0] += 1
    makeRoom(for: link)
    linkTable[link].losses += 1
    linkTable[link].lostBytes += loss.bytes
    if case .skipped(_, let failures) = loss { linkTable[link].badChecksums += failures }
  }

  /// Places are those of `PacketReader.links`, and so below its bound.
  private mutating func makeRoom(for link: Int) {
    precondition(link < PacketReader.maximumLinks, "a link that the reader has not")
    while linkTable.count <= link { linkTable.append(Link()) }
  }

  /// The kinds that were seen, in the order of their numbers.
  var kinds: [(kind: UInt8, traffic: Traffic)] {
    kindTable.enumerated().filter { $0.element.packets > 0 }
      .map { (kind: UInt8($0.offset), traffic: $0.element) }
  }

  /// The links that something was seen on, by their place.
  var links: [(place: Int, counts: Link)] {
    linkTable.enumerated().filter { $0.element.traffic.packets > 0 || $0.element.losses > 0 }
      .map { (place: $0.offset, counts: $0.element) }
  }

  /// From the first packet's capture to the last one's.
  var milliseconds: Int64? {
    guard let firstTime, let lastTime else { return nil }
    let (span, overflow) = lastTime.nanoseconds.subtractingReportingOverflow(firstTime.nanoseconds)
    return overflow ? nil : span / 1_000_000
  }

  var orderedRoads: [(road: Road, copies: Int)] {
    roads.map { (road: $0.key, copies: $0.value) }
      .sorted { ($0.road.first, $0.road.again) < ($1.road.first, $1.road.again) }
  }
}
