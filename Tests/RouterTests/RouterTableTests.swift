import Router
import Testing
import Wire

/// The duplicate tables at their bounds.
@Suite struct RouterTableTests {
  /// A router whose links may send as much as they like.
  private func unhurried() -> TestRouter {
    var limits = Router.Limits.standard
    limits.packets = TokenBucket(capacity: 1_000_000, perSecond: 1_000_000)
    limits.voice = limits.packets
    limits.relayed = limits.packets
    return TestRouter(limits)
  }

  @Test("the shared table holds 8,192 packets, and the oldest goes first")
  func shared() {
    var test = unhurried()
    for number in 0..<8_192 as Range<UInt64> { test.receive(.sealed(number)) }
    #expect(test.fill("seen-packets") == 8_192)
    #expect(test.receive(.sealed(0), from: .b) == .copy)
    #expect(test.receive(.sealed(8_192)) == .relayed(4))
    #expect(test.fill("seen-packets") == 8_192)
    #expect(test.receive(.sealed(1), from: .b) == .copy)
    #expect(test.receive(.sealed(0), from: .b) == .relayed(4))
    #expect(test.receive(.sealed(2), from: .b) == .copy)
    #expect(test.receive(.sealed(1), from: .b) == .relayed(4))
  }

  @Test("an entry counts for thirty minutes, the last moment included")
  func lifetime() {
    for packet in [Packet.sealed(1), .sealed(1, to: .own), .voice(1)] {
      var test = TestRouter()
      let first = test.receive(packet)
      test.now = .zero + .seconds(1_800)
      #expect(test.receive(packet, from: .b) != first)
      test.now = test.now + .nanoseconds(1)
      #expect(test.receive(packet, from: .b) == first)
    }
  }

  @Test("a copy does not make an entry younger")
  func copiesDoNotRefresh() {
    var test = TestRouter()
    test.receive(.sealed(1))
    test.now = .zero + .seconds(1_799)
    #expect(test.receive(.sealed(1)) == .copy)
    test.now = .zero + .seconds(1_801)
    #expect(test.receive(.sealed(1)) == .relayed(4))
  }

  @Test("a flood of voice for us pushes no message out")
  func voiceFlood() {
    var test = unhurried()
    test.receive(.sealed(1))
    test.receive(.sealed(2, to: .own))
    for number in 0..<20_000 as Range<UInt64> { test.receive(.voice(number)) }
    #expect(test.fill("seen-voice") == 256)
    #expect(test.receive(.sealed(1)) == .copy)
    #expect(test.receive(.sealed(2, to: .own)) == .copy)
    #expect(test.receive(.voice(19_744)) == .duplicate(.init(isVoice: true)))
    #expect(test.receive(.voice(19_743)) == .delivered)
  }

  @Test("voice for another leaves no entry")
  func voiceForAnother() {
    var test = unhurried()
    test.receive(.voice(1))
    for number in 2..<1_000 as Range<UInt64> { test.receive(.voice(number, to: .other)) }
    #expect(test.fill("seen-voice") == 1)
    #expect(test.receive(.voice(1)) == .duplicate(.init(isVoice: true)))
  }

  @Test("a flood of packets for us, which are free, pushes nothing else out")
  func sealedForUsFlood() {
    var test = unhurried()
    test.receive(.sealed(1))
    test.receive(.voice(1))
    for number in 0..<10_000 as Range<UInt64> { test.receive(.sealed(100 + number, to: .own)) }
    #expect(test.fill("seen-sealed-for-us") == 1_024)
    #expect(test.fill("seen-packets") == 1)
    #expect(test.receive(.sealed(1)) == .copy)
    #expect(test.receive(.voice(1)) == .duplicate(.init(isVoice: true)))
    #expect(test.receive(.sealed(10_099, to: .own)) == .copy)
    #expect(test.receive(.sealed(100, to: .own)) == .delivered)
  }

  @Test("thousands of contents under one id stay within the bound and are all known")
  func manyContents() {
    var test = unhurried()
    func packet(_ index: Int) -> Packet {
      .sealed(1, time: Timestamp.noon.advanced(by: .milliseconds(index)))
    }
    for index in 0..<8_192 { #expect(test.receive(packet(index)) == .relayed(4)) }
    for index in 0..<8_192 { #expect(test.receive(packet(index), from: .b) == .copy) }
    #expect(test.fill("seen-packets") == 8_192)
  }

  @Test("every table names its bound")
  func bounds() {
    let bounds = TestRouter().router.bounds
    #expect(bounds.map(\.name) == ["seen-packets", "seen-voice", "seen-sealed-for-us"])
    #expect(bounds.map(\.limit) == [8_192, 256, 1_024])
    #expect(bounds.map(\.fill) == [0, 0, 0])
  }
}
