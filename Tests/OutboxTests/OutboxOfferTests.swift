import Outbox
import Testing
import Wire

@Suite struct OutboxOfferTests {
  private static func offers(_ numbers: ClosedRange<UInt64>, _ link: LinkID = .a)
    -> [OutboxEffect]
  {
    numbers.map { .offer($0, link) }
  }

  private static func offers(in effects: [OutboxEffect]) -> [OutboxEffect] {
    effects.filter {
      if case .offer = $0 { true } else { false }
    }
  }

  @Test("whatever waits is offered to a link that comes up, oldest first")
  func oldestFirst() throws {
    var test = TestOutbox()
    for number in (1...5).reversed() as ReversedCollection<ClosedRange<UInt64>> {
      try test.add(number)
    }
    _ = test.take()
    test.linkUp()
    test.pass(.seconds(1))
    #expect(Self.offers(in: test.take()) == Self.offers(1...5).reversed())
  }

  @Test("what was sent already and has no receipt is offered too")
  func sentToo() throws {
    var test = TestOutbox()
    test.linkUp(.a)
    try test.add(1)
    _ = test.take()
    test.linkUp(.b)
    #expect(test.take() == [.offer(1, .b)])
  }

  @Test("once a link's session, and again in the next one")
  func oncePerSession() throws {
    var test = TestOutbox()
    try test.add(1)
    test.linkUp()
    test.linkUp()
    test.pass(.seconds(5))
    #expect(Self.offers(in: test.take()) == [.offer(1)])
    test.linkDown()
    test.linkUp()
    test.pass(.seconds(5))
    #expect(Self.offers(in: test.take()) == [.offer(1)])
  }

  @Test("each link is offered everything, whatever another has had")
  func everyLink() throws {
    var test = TestOutbox()
    try test.add(1)
    try test.add(2)
    test.linkUp(.a)
    test.linkUp(.b)
    test.pass(.seconds(1))
    for link in [LinkID.a, .b] {
      let had = test.effects.filter { [.offer(1, link), .offer(2, link)].contains($0) }
      #expect(had == Self.offers(1...2, link))
    }
  }

  @Test("a message sent while the link is up is not offered on it")
  func notAfterSending() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.pass(.seconds(20))
    #expect(Self.offers(in: test.take()).isEmpty)
  }

  @Test("at most fifty a second and link")
  func pace() throws {
    var test = TestOutbox()
    for number in 0..<200 as Range<UInt64> { try test.add(number) }
    test.linkUp(.a)
    test.linkUp(.b)
    test.pass(.seconds(5))
    for link in [LinkID.a, .b] {
      let times = test.log.compactMap { entry -> Instant? in
        guard case .offer(_, link) = entry.effect else { return nil }
        return entry.at
      }
      #expect(times.count == 200)
      for (index, time) in times.enumerated() {
        #expect(times[index...].count { $0 < time + .seconds(1) } <= 50)
      }
      #expect(times.last == .zero + .milliseconds(199 * 20))
    }
  }

  @Test("a wake that comes too early does nothing")
  func earlyWakes() throws {
    var test = TestOutbox()
    for number in 1...3 as ClosedRange<UInt64> { try test.add(number) }
    test.linkUp()
    for _ in 0..<400 {
      test.pass(.microseconds(100))
      test.wake()
    }
    let offers = test.log.filter { $0.effect == .offer(2) || $0.effect == .offer(3) }
    #expect(offers.map(\.at) == [.zero + .milliseconds(20), .zero + .milliseconds(40)])
    #expect(!test.effects.contains(.fresh(1)))
  }

  @Test("what has its receipt is not offered any more")
  func delivered() throws {
    var test = TestOutbox()
    for number in 1...3 as ClosedRange<UInt64> { try test.add(number) }
    test.linkUp()
    test.receipt(2)
    test.pass(.seconds(1))
    #expect(Self.offers(in: test.take()) == [.offer(1), .offer(3)])
  }

  @Test("what is owed to a link is never more than what is held")
  func owed() throws {
    var test = TestOutbox()
    for number in 0..<1_024 as Range<UInt64> { try test.add(number) }
    test.linkUp(.a)
    test.pass(.milliseconds(100))
    test.linkUp(.b)
    #expect(test.fill("outbox-offers") == 1_023)
    for number in 0..<1_000 as Range<UInt64> { test.receipt(number) }
    #expect(test.fill("outbox-offers") == 24)
    for _ in 0..<3 {
      for number in 0..<1_024 as Range<UInt64> { test.shed(number, on: .a) }
    }
    #expect(test.fill("outbox-offers") == 24)
    test.linkDown(.a)
    test.linkDown(.b)
    #expect(test.fill("outbox-offers") == 0)
  }

  @Test("exactly six hours old it is offered, a millisecond older not; the younger ones are")
  func age() throws {
    var test = TestOutbox()
    try test.add(1)
    test.pass(.milliseconds(1))
    try test.add(2)
    test.pass(.seconds(6 * 3_600))
    _ = test.take()
    test.linkUp()
    #expect(test.take() == [.offer(2), .state(2, .sent)])
    #expect(test.outbox.state(of: .numbered(1)) == .waiting)
  }

  @Test("a link that goes down is offered nothing more")
  func linkDown() throws {
    var test = TestOutbox()
    for number in 1...10 as ClosedRange<UInt64> { try test.add(number) }
    test.linkUp()
    test.linkDown()
    _ = test.take()
    test.pass(.seconds(60))
    #expect(test.take().isEmpty)
  }

  @Test("what a full link shed is offered to it again, oldest first, a moment later")
  func shed() throws {
    var test = TestOutbox()
    for number in 1...4 as ClosedRange<UInt64> { try test.add(number) }
    test.linkUp()
    test.pass(.milliseconds(20))
    #expect(Self.offers(in: test.take()) == Self.offers(1...2))
    test.shed(1)
    test.shed(2)
    test.pass(.milliseconds(249))
    #expect(test.take().isEmpty)
    test.pass(.milliseconds(1))
    #expect(Self.offers(in: test.take()) == [.offer(1)])
    test.pass(.milliseconds(100))
    #expect(Self.offers(in: test.take()) == Self.offers(2...4))
    test.pass(.seconds(1))
    #expect(Self.offers(in: test.take()).isEmpty)
  }

  @Test("a first sending that was shed is made good as an offer on that link alone")
  func shedFirst() throws {
    var test = TestOutbox()
    test.linkUp(.a)
    test.linkUp(.b)
    try test.add(1)
    _ = test.take()
    test.shed(1, on: .b)
    test.shed(1, on: .b)
    test.shed(9, on: .b)
    test.shed(1, on: LinkID(9))
    test.pass(.seconds(1))
    #expect(test.take() == [.offer(1, .b)])
  }

  @Test("a fresh packet on every link takes the place of offers still to be made")
  func freshSettles() throws {
    var test = TestOutbox()
    test.linkUp(.a)
    for number in 1...40 as ClosedRange<UInt64> { try test.add(number) }
    test.pass(.seconds(11))
    _ = test.take()
    test.linkUp(.b)
    test.hello()
    test.pass(.seconds(5))
    let offered = Self.offers(in: test.effects)
    let fresh = test.effects.filter {
      if case .sendFresh = $0 { true } else { false }
    }
    // The first was offered when the link came up, and its hello then is too soon for it.
    #expect(offered == [.offer(1, .b)])
    #expect(fresh == (2...40).map { .fresh($0) })
  }
}
