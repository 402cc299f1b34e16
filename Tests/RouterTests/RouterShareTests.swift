import Router
import Testing
import Wire

@Suite struct RouterShareTests {
  /// How many of `count` packets that begin at `first` are not dropped for `reason`.
  private func passed(
    _ test: inout TestRouter, _ count: UInt64, from link: LinkID = .a,
    unless reason: Router.DropReason, _ packet: (UInt64) -> Packet
  ) -> Int {
    (0..<count).count { test.receive(packet($0), from: link) != .drop(reason) }
  }

  @Test("four hundred packets for others at once, then a hundred a second")
  func packets() {
    var test = TestRouter()
    #expect(passed(&test, 1_000, unless: .overShare) { .sealed($0) } == 400)
    test.now = test.now + .seconds(1)
    #expect(passed(&test, 1_000, unless: .overShare) { .sealed(10_000 + $0) } == 100)
    test.now = test.now + .milliseconds(9)
    #expect(passed(&test, 10, unless: .overShare) { .sealed(20_000 + $0) } == 0)
    test.now = test.now + .milliseconds(1)
    #expect(passed(&test, 10, unless: .overShare) { .sealed(30_000 + $0) } == 1)
    test.now = test.now + .seconds(3_600)
    #expect(passed(&test, 1_000, unless: .overShare) { .sealed(40_000 + $0) } == 400)
    #expect(test.router.dropped(.overShare) == 600 + 900 + 10 + 9 + 600)
    #expect(test.router.overShare(of: .a) == test.router.dropped(.overShare))
    #expect(test.router.overShare(of: .b) == 0)
  }

  @Test("one link over its share takes nothing from another")
  func linksApart() {
    var test = TestRouter()
    test.exhaust(.a)
    #expect(passed(&test, 400, from: .b, unless: .overShare) { .sealed($0) } == 400)
  }

  @Test("what was over one link's share is taken when it comes by another")
  func anotherRoad() {
    var test = TestRouter()
    test.exhaust(.a)
    #expect(test.receive(.sealed(1)) == .drop(.overShare))
    #expect(test.receive(.sealed(1), from: .b) == .relayed(4))
    #expect(test.receive(.sealed(1)) == .copy)
  }

  @Test("copies are free: a neighbour that passes on a flood keeps its own share")
  func copiesAreFree() {
    var test = TestRouter()
    for number in 0..<400 as Range<UInt64> { test.receive(.sealed(number), from: .a) }
    for number in 0..<400 as Range<UInt64> {
      #expect(test.receive(.sealed(number, hopLimit: 4), from: .b) == .copy)
    }
    #expect(passed(&test, 400, from: .b, unless: .overShare) { .sealed(1_000 + $0) } == 400)
  }

  @Test("sealed packets for us cost nothing, and come through when the share is used up")
  func forUsIsFree() {
    var test = TestRouter()
    for number in 0..<2_000 as Range<UInt64> {
      #expect(test.receive(.sealed(number, to: .own)) == .delivered)
    }
    #expect(passed(&test, 1_000, unless: .overShare) { .sealed(5_000 + $0) } == 400)
    #expect(test.receive(.sealed(9_999, to: .own)) == .delivered)
  }

  @Test("fifty hellos of neighbours a second and link are verified")
  func hellos() {
    var test = TestRouter()
    #expect(passed(&test, 200, unless: .overHelloShare) { .hello($0) } == 50)
    #expect(test.verified == 50)
    #expect(test.receive(.hello(1_000), from: .b) == .accept(deliver: true, relayHopLimit: 1))
    test.now = test.now + .seconds(1)
    #expect(passed(&test, 100, unless: .overHelloShare) { .hello(2_000 + $0) } == 50)
  }

  @Test("forty of the fifty may have come over a relay, so a neighbour's own is heard")
  func relayedHellos() {
    var test = TestRouter()
    #expect(passed(&test, 100, unless: .overHelloShare) { .hello($0, hopLimit: 1) } == 40)
    #expect(passed(&test, 100, unless: .overHelloShare) { .hello(1_000 + $0) } == 10)
    test.now = test.now + .seconds(1)
    // The other way round the fifty are used up, and none is left for those over a relay.
    #expect(passed(&test, 100, unless: .overHelloShare) { .hello(2_000 + $0) } == 50)
    let relayed = passed(&test, 50, unless: .overHelloShare) { .hello(3_000 + $0, hopLimit: 1) }
    #expect(relayed == 0)
    test.now = test.now + .seconds(1)
    // Being refused then has cost the forty nothing.
    #expect(passed(&test, 50, unless: .overHelloShare) { .hello(4_000 + $0, hopLimit: 1) } == 40)
  }

  @Test("a hello costs a packet's token too")
  func helloCostsAPacket() {
    var test = TestRouter()
    for number in 0..<50 as Range<UInt64> { test.receive(.hello(number)) }
    #expect(passed(&test, 1_000, unless: .overShare) { .sealed(1_000 + $0) } == 350)
  }

  @Test("a hundred and twenty frames of voice a second and link, in a bucket of their own")
  func voice() {
    var test = TestRouter()
    test.exhaust(.a)
    #expect(passed(&test, 300, unless: .overVoiceShare) { .voice($0) } == 120)
    #expect(test.router.dropped(.overVoiceShare) == 180)
    test.now = test.now + .seconds(1)
    #expect(passed(&test, 300, unless: .overVoiceShare) { .voice(1_000 + $0) } == 120)
    #expect(passed(&test, 400, unless: .overShare) { .sealed(5_000 + $0) } == 100)
  }

  @Test("voice for another uses up the voice bucket and nothing else")
  func voiceForAnother() {
    var test = TestRouter()
    let others = passed(&test, 300, unless: .overVoiceShare) { .voice($0, to: .other) }
    #expect(others == 120)
    #expect(passed(&test, 400, unless: .overShare) { .sealed(5_000 + $0) } == 400)
  }

  @Test("a link that comes up anew has its whole share; coming up twice changes nothing")
  func linkUp() {
    var test = TestRouter()
    test.exhaust(.a)
    test.router.linkUp(.a)
    #expect(test.receive(.sealed(1)) == .drop(.overShare))
    test.router.linkDown(.a)
    test.router.linkUp(LinkID(9))
    #expect(test.receive(.sealed(1), from: LinkID(9)) == .relayed(4))
  }

  @Test("links may come and go in any order")
  func manyLinks() {
    var test = TestRouter(links: [])
    var random = SplitMix64(seed: 11)
    var up: Set<UInt32> = []
    for number in 0..<3_000 as Range<UInt64> {
      test.now = test.now + .milliseconds(10)
      let link = UInt32.random(in: 0..<200, using: &random)
      if Bool.random(using: &random) {
        test.router.linkUp(LinkID(link))
        up.insert(link)
      } else {
        test.router.linkDown(LinkID(link))
        up.remove(link)
      }
      let from = UInt32.random(in: 0..<200, using: &random)
      let decision = test.receive(.sealed(number), from: LinkID(from))
      #expect(decision == (up.contains(from) ? .relayed(4) : .drop(.unknownLink)))
    }
  }
}
