import Router
import Testing
import Wire

/// What a device relays in all, and how those whose packets they are share it.
@Suite struct RelayShareTests {
  private static let flooders = (10..<16).map { LinkID(UInt32($0)) }

  private func flooded() -> TestRouter {
    var test = TestRouter(links: [.a, .b] + Self.flooders)
    var relayed = 0
    for second in 0..<4 as Range<UInt64> {
      relayed = 0
      for number in 0..<200 as Range<UInt64> {
        for (index, link) in Self.flooders.enumerated() {
          let number = UInt64(index + 1) << 32 | second << 16 | number
          if test.receive(.sealed(number), from: link) == .relayed(4) { relayed += 1 }
        }
        test.now = test.now + .milliseconds(5)
      }
    }
    // What the neighbours take from one link in the long run, whoever sends it.
    #expect((95...101).contains(relayed))
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

  /// Flooded, and link a has had its equal part besides: an eighth of what is reserved.
  private func used() -> TestRouter {
    var test = flooded()
    for number in 0..<25 as Range<UInt64> {
      #expect(test.receive(.sealed(number), from: .a) == .relayed(4))
    }
    return test
  }

  @Test("several that flood leave others their equal part")
  func leftToOthers() {
    var test = used()
    #expect(test.receive(.sealed(99), from: .a) == .drop(.overRelayShare))
    // An eighth of the hundred a second, too.
    test.now = test.now + .milliseconds(79)
    #expect(test.receive(.sealed(99), from: .a) == .drop(.overRelayShare))
    test.now = test.now + .milliseconds(1)
    #expect(test.receive(.sealed(99), from: .a) == .relayed(4))
    #expect(test.receive(.sealed(100), from: .b) == .relayed(4))
  }

  @Test("what was not relayed for that leaves no trace, and goes on by another road")
  func anotherRoad() {
    var test = used()
    #expect(test.receive(.sealed(99), from: .a) == .drop(.overRelayShare))
    #expect(test.receive(.sealed(99), from: .b) == .relayed(4))
    #expect(test.receive(.sealed(99), from: .a) == .copy)
  }

  @Test("a hello that is not relayed for that is heard, and relayed when a copy comes in time")
  func hello() {
    var test = used()
    #expect(test.receive(.hello(99), from: .a) == .delivered)
    #expect(
      test.receive(.hello(99), from: .b)
        == .duplicate(.init(isHelloAtFullHops: true, relayHopLimit: 1)))
    #expect(test.receive(.hello(99), from: .a) == .duplicate(.init(isHelloAtFullHops: true)))
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
