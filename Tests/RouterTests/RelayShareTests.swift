import Router
import Testing
import Wire

/// What a device relays in all, and how those whose packets they are share it.
@Suite struct RelayShareTests {
  private static let flooders = (10..<16).map { LinkID(UInt32($0)) }

  private func flooded() -> TestRouter {
    var test = TestRouter(links: [.a, .b] + Self.flooders)
    var relayed = 0
    for second in 0..<10 as Range<UInt64> {
      relayed = 0
      for number in 0..<200 as Range<UInt64> {
        for (index, link) in Self.flooders.enumerated() {
          let number = ((UInt64(index) << 16) | (second << 8) | number) << 16
          if test.receive(.sealed(number), from: link) == .relayed(4) { relayed += 1 }
        }
        test.now = test.now + .milliseconds(5)
      }
    }
    // What the neighbours take from one link in the long run, whoever sends it.
    #expect((100...101).contains(relayed))
    return test
  }

  @Test("a single link may use all of what its own share lets pass")
  func single() {
    var test = TestRouter()
    for second in 0..<5 as Range<UInt64> {
      let relayed = (0..<1_000).count {
        test.receive(.sealed(second << 16 | UInt64($0))) == .relayed(4)
      }
      #expect(relayed == (second == 0 ? 400 : 100))
      test.now = test.now + .seconds(1)
    }
    #expect(test.router.dropped(.overRelayShare) == 0)
  }

  @Test("several that flood leave others their equal part")
  func leftToOthers() {
    var test = flooded()
    // An eighth of the hundred a second, and of the reserve at once.
    for number in 0..<25 as Range<UInt64> {
      #expect(test.receive(.sealed(number), from: .a) == .relayed(4))
    }
    #expect(test.receive(.sealed(99), from: .a) == .drop(.overRelayShare))
    test.now = test.now + .milliseconds(80)
    #expect(test.receive(.sealed(99), from: .a) == .relayed(4))
    #expect(test.receive(.sealed(100), from: .b) == .relayed(4))
  }

  @Test("what was not relayed for that leaves no trace, and goes on by another road")
  func anotherRoad() {
    var test = flooded()
    var refused: UInt64 = 0
    test.now = test.now + .milliseconds(50)
    for number in 0..<10 as Range<UInt64>
    where test.receive(.sealed(500 + number), from: Self.flooders[0]) == .drop(.overRelayShare) {
      refused = 500 + number
    }
    #expect(refused > 0)
    #expect(test.receive(.sealed(refused), from: .b) == .relayed(4))
  }

  @Test("a hello that is not relayed for that is heard, and relayed when a copy comes in time")
  func hello() {
    var test = flooded()
    // One of those that flood becomes a person's neighbour.
    test.now = test.now + .milliseconds(20)
    var number: UInt64 = 600
    while test.receive(.sealed(number), from: Self.flooders[0]) != .drop(.overRelayShare) {
      number += 1
    }
    #expect(test.receive(.hello(700), from: Self.flooders[0]) == .delivered)
    #expect(test.receive(.hello(700), from: .b).relayHopLimit == 1)
    #expect(test.receive(.hello(700), from: .a) == .duplicate(.init(isHelloAtFullHops: true)))
  }

  @Test("packets that go no further cost nothing of it")
  func endsHere() {
    var test = flooded()
    for number in 0..<300 as Range<UInt64> {
      #expect(test.receive(.sealed(number, hopLimit: 1), from: .a) == .ended)
      #expect(test.receive(.sealed(10_000 + number, to: .own), from: .a) == .delivered)
    }
    #expect(test.receive(.sealed(99_999), from: .a) == .relayed(4))
  }
}
