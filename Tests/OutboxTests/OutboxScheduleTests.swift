import Outbox
import Testing
import Wire

/// When a message is sent again under a fresh packet id.
@Suite struct OutboxScheduleTests {
  /// Nominal seconds after the first sending, each with what it may vary by.
  private static let schedule: [(at: Double, spread: Double)] =
    [(30, 7.5), (120, 30), (480, 120)] + (1...12).map { (Double($0) * 1_800, 450) }

  @Test("30 s, 2, 8, 30 min after the first sending, then every 30 min, a quarter either way")
  func schedule() throws {
    var early = 0
    for seed in 0..<50 as Range<UInt64> {
      var test = TestOutbox(seed: seed)
      test.linkUp()
      test.pass(.seconds(100))
      try test.add(1)
      test.pass(.seconds(6 * 3_600))
      let times = test.times(ofFresh: 1).map { $0 - 100 }
      // The last step before six hours may or may not fall within them.
      #expect((14...15).contains(times.count), "seed \(seed)")
      for (time, step) in zip(times, Self.schedule) {
        #expect(abs(time - step.at) <= step.spread, "seed \(seed): \(time) for \(step)")
        if time < step.at { early += 1 }
      }
    }
    // Both ways about as often.
    #expect((250...450).contains(early))
  }

  @Test("counted from the first sending, not from when it was written")
  func fromFirstSending() throws {
    var test = TestOutbox()
    try test.add(1)
    test.pass(.seconds(1_000))
    test.linkUp()
    test.pass(.seconds(200))
    let times = test.times(ofFresh: 1).map { $0 - 1_000 }
    #expect(times.count == 2)
    #expect(abs((times.first ?? 0) - 30) <= 7.5)
  }

  @Test("only while a link is up; what fell due without one is covered by the offer")
  func withoutLink() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.linkDown()
    test.pass(.seconds(700))
    #expect(test.times(ofFresh: 1).isEmpty)
    _ = test.take()
    test.linkUp()
    test.pass(.seconds(600))
    #expect(test.take() == [.offer(1)])
    // The next step, 30 min after the first sending, comes as ever.
    test.pass(.seconds(1_000))
    #expect(test.times(ofFresh: 1).count == 1)
  }

  @Test("a second link changes nothing in the schedule")
  func secondLink() throws {
    var test = TestOutbox()
    test.linkUp(.a)
    try test.add(1)
    test.pass(.seconds(20))
    test.linkUp(.b)
    test.linkDown(.a)
    test.pass(.seconds(20))
    #expect(test.times(ofFresh: 1).count == 1)
  }

  @Test("a wake that comes hours late sends once and not once for every step missed")
  func lateWake() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    _ = test.take()
    let later = Instant.zero + .seconds(3 * 3_600)
    let clock = Timestamp.noon.advanced(by: .seconds(3 * 3_600))
    #expect(test.outbox.wake(now: later, wallClock: clock) == [.fresh(1)])
    #expect(test.outbox.wake(now: later + .seconds(60), wallClock: clock).isEmpty)
  }

  // MARK: Hellos

  @Test("heard more than ten seconds after the last sending, it is sent again at once")
  func hello() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    try test.add(2, to: "D")
    test.pass(.seconds(10) + .nanoseconds(1))
    _ = test.take()
    test.hello()
    #expect(test.take() == [.fresh(1)])
  }

  @Test("heard within ten seconds, it is sent when they are over, unless the receipt comes")
  func helloTooSoon() throws {
    for gap in [Duration.zero, .seconds(3), .seconds(10)] {
      var test = TestOutbox()
      test.linkUp()
      try test.add(1)
      try test.add(2)
      test.pass(gap)
      _ = test.take()
      test.hello()
      #expect(test.take().isEmpty)
      test.receipt(2)
      _ = test.take()
      test.pass(.seconds(10) - gap)
      #expect(test.effects.isEmpty)
      test.pass(.seconds(1))
      #expect(test.take() == [.fresh(1)])
    }
  }

  @Test("an offer counts as a sending: a hello right after it waits for ten seconds")
  func helloAfterOffer() throws {
    var test = TestOutbox()
    try test.add(1)
    test.pass(.seconds(100))
    test.linkUp()
    test.hello()
    _ = test.take()
    test.pass(.seconds(10))
    #expect(test.take().isEmpty)
    test.pass(.seconds(1))
    #expect(test.take() == [.fresh(1)])
  }

  @Test("hellos send it again once a minute at most")
  func onceAMinute() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.pass(.seconds(1_900))
    _ = test.take()
    for _ in 0..<300 {
      test.hello()
      test.pass(.seconds(1))
    }
    let times = test.times(ofFresh: 1)
    #expect(times == [1_900, 1_960, 2_020, 2_080, 2_140, 2_200])
  }

  @Test("somebody else's hello sends nothing, nor does one with no link up")
  func otherHellos() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.pass(.seconds(11))
    _ = test.take()
    test.hello("D")
    #expect(test.take().isEmpty)
    test.linkDown()
    test.hello("C")
    test.pass(.seconds(100))
    #expect(test.take().isEmpty)
  }

  @Test("a hello sends nothing of what is past its age")
  func helloTooOld() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.pass(.seconds(6 * 3_600) + .milliseconds(1))
    _ = test.take()
    test.hello()
    test.pass(.seconds(3_600))
    #expect(test.take().isEmpty)
  }

  @Test("at least ten seconds lie between two fresh packets of one message")
  func tenSeconds() throws {
    for seed in 0..<200 as Range<UInt64> {
      var test = TestOutbox(seed: seed)
      var random = SplitMix64(seed: seed)
      test.linkUp()
      try test.add(1)
      for _ in 0..<40 {
        test.pass(.milliseconds(Int.random(in: 0...20_000, using: &random)))
        test.hello()
      }
      let times = [0] + test.times(ofFresh: 1)
      for (one, next) in zip(times, times.dropFirst()) {
        #expect(next - one >= 10, "seed \(seed)")
      }
      #expect(times.count > 5)
    }
  }

  @Test("a schedule's step that a hello has just forestalled waits out its ten seconds")
  func stepAfterHello() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.pass(.seconds(21))
    test.hello()
    test.pass(.seconds(30))
    let times = test.times(ofFresh: 1)
    #expect(times.count == 2)
    #expect(times.first == 21)
    #expect(times.last.map { (31...37.5).contains($0) } == true)
  }

  @Test("a hello that finds a thousand messages sends fifty a second, oldest first")
  func paceOfFresh() throws {
    var test = TestOutbox()
    for number in 0..<1_024 as Range<UInt64> { try test.add(number) }
    test.linkUp()
    test.pass(.seconds(35))
    _ = test.take()
    test.hello()
    test.pass(.seconds(1) - .nanoseconds(1))
    let fresh = test.effects.filter {
      if case .sendFresh = $0 { true } else { false }
    }
    #expect(fresh.count == 50)
  }
}
