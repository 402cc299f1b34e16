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
      if facts.refusal != nil { refused += 1 }
    }
  }

  struct Link: Hashable {
    var traffic = Traffic()
    var inbound = 0
    var outbound = 0
    var losses = 0
    var lostBytes = 0
    var badChecksums = 0
  }

  /// The link a packet was first seen on, and the one a copy came by.
  struct Road: Hashable {
    let first: Int
    let again: Int
  }

  private(set) var total = Traffic()
  private(set) var kinds: [UInt8: Traffic] = [:]
  private(set) var links: [Int: Link] = [:]
  private(set) var roads: [Road: Int] = [:]
  private(set) var losses: [String: Int] = [:]
  private(set) var firstTime: CaptureTime?
  private(set) var lastTime: CaptureTime?

  mutating func count(_ facts: PacketFacts) {
    total.count(facts)
    kinds[facts.header.kind.rawValue, default: Traffic()].count(facts)
    links[facts.crossing.link, default: Link()].traffic.count(facts)
    switch facts.crossing.direction {
    case .inbound: links[facts.crossing.link]?.inbound += 1
    case .outbound: links[facts.crossing.link]?.outbound += 1
    case nil: break
    }
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
    links[link, default: Link()].losses += 1
    links[link]?.lostBytes += loss.bytes
    if case .skipped(_, let failures) = loss { links[link]?.badChecksums += failures }
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
