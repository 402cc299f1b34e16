internal import CAllocationCount
internal import CSodium
internal import CommandLine
internal import Router
internal import Wire

/// A router's decisions over sealed packets for others, with the limits that ship, against the bare
/// keyed hash that tells copies from other packets.
enum RouterCases {
  /// More than the duplicate table holds: one that comes round again has left it and is new.
  private static let poolSize = 16_384
  private static let links: UInt32 = 8
  private static let limit = "libsodium's SipHash of its bytes"

  static let new = Subject(
    summary: "decide on a new packet of 348 bytes, with the table full", limit: limit
  ) { duration in
    try measure(duration, distinct: poolSize) { $0 == .accept(deliver: false, relayHopLimit: 4) }
  }

  static let copy = Subject(
    summary: "decide on a copy of a packet of 348 bytes", limit: limit
  ) { duration in
    try measure(duration, distinct: 64) { $0 == .duplicate(Router.Copy()) }
  }

  private static func measure(
    _ duration: Duration, distinct: Int, expecting isExpected: (Router.Decision) -> Bool
  ) throws -> Measurement {
    var flow = Flow(packets: pool(distinct))
    // Once round, so that the table is as full as it gets.
    flow.run(distinct)
    guard isExpected(flow.next()) else { throw Failure("the router decides otherwise") }
    let allocated = airlink_allocation_count()
    flow.run(poolSize)
    let allocations = airlink_allocation_count() - allocated
    let block = Block(flow.packets[0].encoded)
    let key = Block([UInt8](repeating: 7, count: crypto_shorthash_keybytes()))
    let hash = Block(count: crypto_shorthash_bytes())
    let times = Turns(
      subject: { count in flow.run(count) },
      limit: { count in
        for _ in 0..<count {
          keep(crypto_shorthash(hash.bytes, block.bytes, UInt64(block.count), key.bytes))
        }
      }
    ).measure(for: duration)
    var measurement = Measurement(
      subject: times.subject, limit: times.limit, bytes: block.count)
    if allocated >= 0 {
      measurement.figures[.allocations] = Double(allocations) / Double(poolSize)
    } else {
      measurement.excuse = "allocations cannot be counted here"
    }
    return measurement
  }

  private static func pool(_ count: Int) -> [Packet] {
    var random = SplitMix64(seed: 1)
    return (0..<count).map { _ in
      var id: [UInt8] = []
      id.append(bigEndian: random.next())
      id.append(bigEndian: random.next())
      return Packet(
        kind: .sealed, hopLimit: 5, time: Flow.wallClock, id: PacketID(id) ?? PacketID(),
        destination: Fingerprint(value: 2), payload: [UInt8](repeating: 0x5A, count: 304))
    }
  }

  /// Packets that come in over and over on all links in turn, at a pace within each link's share.
  private struct Flow {
    static let wallClock = Timestamp(milliseconds: 1_764_489_600_000)
    static let pace = Duration.milliseconds(2)

    var router: Router
    let packets: [Packet]
    var count = 0
    var now = Instant.zero

    init(packets: [Packet]) {
      self.packets = packets
      router = Router(
        ownFingerprint: Fingerprint(value: 1), hashKey: SipHashKey(k0: 3, k1: 5))
      for link in 0..<links { router.linkUp(LinkID(link)) }
    }

    @inline(__always) mutating func next() -> Router.Decision {
      now = now + Self.pace
      let packet = packets[count % packets.count]
      let decision = router.receive(
        packet.view,
        from: LinkID(UInt32(truncatingIfNeeded: count) % links), now: now,
        wallClock: Self.wallClock
      ) { _ in true }
      count &+= 1
      return decision
    }

    mutating func run(_ times: Int) {
      for _ in 0..<times { keep(next()) }
    }
  }
}
