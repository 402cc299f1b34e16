import Router
import Testing
import Wire

/// Routers put together to small meshes, without links, queues or loss.
private struct Flood {
  private(set) var routers: [Router]
  private var neighbours: [Set<Int>]
  private(set) var delivered: [Int] = []
  private(set) var sent = 0
  private var now = Instant.zero

  /// As many routers as asked for, the pairs linked.
  init(_ count: Int, linked pairs: [(Int, Int)]) {
    routers = (0..<count).map { number in
      Router(
        ownFingerprint: Self.fingerprint(number),
        hashKey: SipHashKey(k0: UInt64(number), k1: 1))
    }
    neighbours = Array(repeating: [], count: count)
    for (one, other) in pairs { link(one, other) }
  }

  static func fingerprint(_ number: Int) -> Fingerprint { Fingerprint(value: UInt64(number) + 1) }

  mutating func link(_ one: Int, _ other: Int) {
    neighbours[one].insert(other)
    neighbours[other].insert(one)
    routers[one].linkUp(LinkID(UInt32(other)))
    routers[other].linkUp(LinkID(UInt32(one)))
  }

  /// Sends from one router on all its links and carries on until all is quiet; what goes to `slow`
  /// arrives when nothing else is under way.
  mutating func send(_ packet: Packet, from origin: Int, slow: Int? = nil) {
    delivered = []
    sent = 0
    routers[origin].noteOwn(packet, now: now)
    var underway = neighbours[origin].sorted().map { (packet, from: origin, to: $0) }
    while !underway.isEmpty {
      let next = underway.firstIndex { $0.to != slow } ?? 0
      let (packet, from, to) = underway.remove(at: next)
      sent += 1
      now = now + .milliseconds(1)
      let decision = routers[to].receive(
        packet.view, from: LinkID(UInt32(from)), now: now, wallClock: .noon
      ) { _ in true }
      if case .accept(true, _) = decision { delivered.append(to) }
      guard let hopLimit = decision.relayHopLimit else { continue }
      let relayed = Packet(packet, hopLimit: hopLimit)
      underway += neighbours[to].sorted().filter { $0 != from }.map { (relayed, to, $0) }
    }
  }

  static func chain(_ count: Int) -> Flood {
    Flood(count, linked: (1..<count).map { ($0 - 1, $0) })
  }
}

@Suite struct FloodTests {
  @Test("in a chain a message with seven hops reaches the seventh device and not the eighth")
  func chain() {
    for last in [1, 6, 7, 8, 9] {
      var flood = Flood.chain(10)
      flood.send(.sealed(1, to: Flood.fingerprint(last), hopLimit: 7), from: 0)
      #expect(flood.delivered == (last <= 7 ? [last] : []))
    }
  }

  @Test("more hops at the origin than seven carry one further hop, no more")
  func hopsAreCut() {
    var flood = Flood.chain(12)
    flood.send(.sealed(1, to: Flood.fingerprint(8), hopLimit: 15), from: 0)
    #expect(flood.delivered.isEmpty)
    flood.send(.sealed(2, to: Flood.fingerprint(7), hopLimit: 15), from: 0)
    #expect(flood.delivered == [7])
  }

  @Test("a hello reaches two hops and no further")
  func hello() {
    var flood = Flood.chain(6)
    flood.send(.hello(1), from: 0)
    #expect(flood.delivered == [1, 2])
  }

  @Test("voice reaches its neighbour and no further")
  func voice() {
    var flood = Flood.chain(4)
    flood.send(.voice(1, to: Flood.fingerprint(1)), from: 0)
    #expect(flood.delivered == [1])
    flood.send(.voice(2, to: Flood.fingerprint(2)), from: 0)
    #expect(flood.delivered.isEmpty)
    #expect(flood.sent == 1)
  }

  @Test("in a crowd everybody hears it once, and every link carries it twice at most")
  func noStorm() {
    let count = 20
    let pairs = (0..<count).flatMap { one in ((one + 1)..<count).map { (one, $0) } }
    var flood = Flood(count, linked: pairs)
    flood.send(.sealed(1, to: .everyone, hopLimit: 3), from: 0)
    #expect(flood.sent <= 2 * pairs.count)
    #expect(flood.routers.dropFirst().allSatisfy { $0.bounds[0].fill == 1 })
    flood.send(.sealed(2, to: Flood.fingerprint(19), hopLimit: 3), from: 0)
    #expect(flood.delivered == [19])
  }

  @Test("a relay keeps no copy: who links up afterwards gets it only when it is sent afresh")
  func lateComer() {
    var flood = Flood(3, linked: [(0, 1)])
    let destination = Flood.fingerprint(2)
    flood.send(.sealed(1, to: destination, hopLimit: 7), from: 0)
    flood.link(1, 2)
    #expect(flood.delivered.isEmpty)
    // The relay has seen this packet: the same bytes again do not get past it.
    flood.send(.sealed(1, to: destination, hopLimit: 7), from: 0)
    #expect(flood.delivered.isEmpty)
    // Sealed again under a fresh id they do.
    flood.send(.sealed(2, to: destination, hopLimit: 7), from: 0)
    #expect(flood.delivered == [2])
  }

  @Test("a relay that saw a packet when its hops were spent passes on a copy that has some")
  func spentHops() {
    var flood = Flood(3, linked: [(0, 1), (1, 2)])
    let destination = Flood.fingerprint(2)
    flood.send(.sealed(1, to: destination, hopLimit: 1), from: 0)
    #expect(flood.delivered.isEmpty)
    flood.send(.sealed(1, to: destination, hopLimit: 7), from: 0)
    #expect(flood.delivered == [2])
  }

  @Test("a long road that is quicker does not spoil the short one")
  func shortAndLong() {
    // 0–1–2–5 and 0–3–5, then 5–4: with three hops the short road alone reaches 4, and 5 hears it
    // first over the long one, when its hops are spent.
    var flood = Flood(6, linked: [(0, 1), (1, 2), (2, 5), (0, 3), (3, 5), (5, 4)])
    flood.send(.sealed(1, to: Flood.fingerprint(4), hopLimit: 3), from: 0, slow: 3)
    #expect(flood.delivered == [4])
  }
}
