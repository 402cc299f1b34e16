import Foundation
import Router
import Testing
import Wire

@Suite struct RouterPropertyTests {
  /// `AIRLINK_SEED` alone when it is set, to run a failed one again; fewer under a sanitizer, where
  /// every step is dear.
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["AIRLINK_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return Array(0..<(environment["AIRLINK_SANITIZED"] == nil ? 10_000 : 1_000))
  }()

  /// Copies of few packets at many hop limits, so that random ones meet.
  private static let copies: [(content: Int, packet: Packet)] = {
    var contents: [Packet] = []
    for number in 0..<3 as Range<UInt64> {
      contents += [.sealed(number), .sealed(number, filled: 1), .sealed(number, to: .everyone)]
      contents += [.sealed(number, to: .own), .hello(number), .hello(number, filled: 1)]
      contents += [.voice(number), .voice(number, to: .other)]
    }
    return contents.enumerated().flatMap { index, packet in
      [1, 2, 3, 7, 15].map { (index, Packet(packet, hopLimit: $0)) }
    }
  }()

  @Test("no packet is relayed or delivered twice, or relayed with hops it does not have")
  func onceOnly() {
    for seed in Self.seeds {
      let failure = Self.run(seed)
      #expect(failure == nil, "AIRLINK_SEED=\(seed): \(failure ?? "")")
      if failure != nil { return }
    }
  }

  /// One random sequence; what is wrong with the outcome, if anything.
  private static func run(_ seed: UInt64) -> String? {
    var random = SplitMix64(seed: seed)
    var test = TestRouter()
    var delivered: Set<Int> = []
    var relayed: Set<Int> = []
    var own: Set<Int> = []
    for _ in 0..<24 {
      // Within the half hour that an entry counts.
      test.now = test.now + .milliseconds(Int.random(in: 0...60_000, using: &random))
      test.signatureHolds = Int.random(in: 0..<4, using: &random) > 0
      let link = LinkID(UInt32.random(in: 1...4, using: &random))
      guard let (content, packet) = copies.randomElement(using: &random) else { return nil }
      switch Int.random(in: 0..<16, using: &random) {
      case 0: test.router.linkUp(link)
      case 1: test.router.linkDown(link)
      case 2 where packet.header.destination != .own && !own.contains(content):
        test.router.noteOwn(packet, now: test.now)
        if packet.header.kind != .voice { own.insert(content) }
      default: break
      }
      let header = packet.header
      let decision = test.receive(packet, from: link)
      if case .accept(true, _) = decision {
        guard delivered.insert(content).inserted else { return "delivered twice: \(header)" }
        guard header.kind == .hello || header.destination == .own else {
          return "delivered to the wrong one: \(header)"
        }
      }
      if let hopLimit = decision.relayHopLimit {
        guard relayed.insert(content).inserted else { return "relayed twice: \(header)" }
        guard header.hopLimit > 1, hopLimit == min(header.hopLimit, 7) - 1,
          header.destination != .own, header.kind != .voice, !own.contains(content)
        else { return "relayed with \(hopLimit): \(header)" }
      }
      if own.contains(content), decision != .duplicate(.init()) {
        return "own packet: \(decision)"
      }
    }
    return nil
  }

  @Test("whatever 44 bytes of header say, there is a decision", arguments: 0..<20 as Range<UInt64>)
  func anyHeader(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var test = TestRouter()
    for _ in 0..<500 {
      test.wallClock = Timestamp(milliseconds: random.next() >> (random.next() % 64))
      test.now = test.now + .seconds(1)
      let packet = Packet.raw(
        random.next(), version: UInt8.random(in: 0...3, using: &random),
        kind: UInt8.random(in: 0...5, using: &random),
        hopLimit: UInt8.random(in: 1...15, using: &random),
        flags: UInt8.random(in: 0...255, using: &random),
        time: Timestamp(milliseconds: random.next() >> (random.next() % 64)),
        to: [.own, .other, .everyone].randomElement(using: &random) ?? .own,
        length: [0, 1, 20, 21, 128, 129, 193, 194, 304, 560, 8_240].randomElement(using: &random)
          ?? 0)
      let decision = test.receive(packet)
      if case .accept = decision {
        #expect(packet.view.refusal == nil, "AIRLINK_SEED=\(seed)")
        #expect(packet.header.hopLimit <= packet.header.kind.maximumHopLimit)
        #expect(test.receive(packet, from: .b) != decision)
      } else {
        #expect(test.receive(packet, from: .b) == decision, "AIRLINK_SEED=\(seed)")
      }
    }
  }

  @Test("the same key gives the same decisions, and so do copies of a router")
  func deterministic() {
    func decisions(_ test: TestRouter) -> [Router.Decision] {
      var test = test
      var random = SplitMix64(seed: 5)
      return (0..<500).map { _ in
        test.now = test.now + .milliseconds(Int.random(in: 0...9, using: &random))
        return test.receive(.sealed(UInt64.random(in: 0..<300, using: &random)))
      }
    }
    let start = TestRouter()
    #expect(decisions(start) == decisions(start))
    #expect(decisions(start) == decisions(TestRouter()))
  }
}
