import Outbox
import Testing
import Wire

/// Everything is timed by the monotonic clock; a wall clock that jumps loses no message.
@Suite struct OutboxClockTests {
  @Test("a clock put forward by a day warns and holds back; put right, all goes on")
  func forward() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.linkDown()
    try test.add(2)
    _ = test.take()
    let right = test.wallClock
    test.wallClock = right.advanced(by: .seconds(86_400))
    test.linkUp()
    #expect(test.take() == [.ageLimit(1), .ageLimit(2)])
    test.pass(.seconds(3_600))
    #expect(test.take().isEmpty)
    #expect(test.outbox.messages.count == 2)
    test.wallClock = right.advanced(by: .seconds(3_600))
    test.pass(.seconds(601))
    #expect(test.effects.contains(.offer(2)))
    #expect(test.effects.contains(.state(2, .sent)))
    #expect(test.effects.contains { $0 == .fresh(1) || $0 == .offer(1) })
    #expect(!test.effects.contains(.ageLimit(1)))
  }

  @Test("a clock put back holds nothing back: receivers whose clocks are right accept it")
  func back() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.wallClock = test.wallClock.advanced(by: .seconds(-86_400))
    test.pass(.seconds(200))
    #expect(test.times(ofFresh: 1).count == 2)
    test.hello()
    #expect(test.times(ofFresh: 1).count == 3)
  }

  @Test("patience is the monotonic clock's, whatever the wall clock says")
  func patience() throws {
    for step in [-400 * 86_400, 400 * 86_400] as [Int64] {
      var test = TestOutbox()
      test.linkUp()
      try test.add(1)
      test.wallClock = test.wallClock.advanced(by: .seconds(step))
      test.pass(.seconds(86_399))
      #expect(test.outbox.messages.count == 1)
      test.pass(.seconds(1))
      #expect(test.effects.last == .state(1, .failed(.patience)))
    }
  }

  @Test("the age limit comes when the wall clock says so, also after it was put back an hour")
  func ageLimitAfterStep() throws {
    var test = TestOutbox()
    try test.add(1)
    test.pass(.seconds(3_600))
    test.wallClock = .noon
    test.pass(.seconds(6 * 3_600))
    #expect(test.times(.ageLimit(1)).isEmpty)
    test.pass(.milliseconds(1))
    #expect(test.times(.ageLimit(1)) == [7 * 3_600 + 0.001])
  }

  @Test(
    "clocks at either end of 64 bits trap nothing",
    arguments: [0, 1, 1 << 63, .max - 21_600_000, .max] as [UInt64])
  func extremes(milliseconds: UInt64) throws {
    for other in [0, .max, milliseconds] as [UInt64] {
      var test = TestOutbox()
      test.linkUp()
      test.wallClock = Timestamp(milliseconds: milliseconds)
      try test.add(1)
      test.wallClock = Timestamp(milliseconds: other)
      test.hello()
      test.linkUp(.b)
      test.pass(.seconds(86_400))
      #expect(test.effects.last == .state(1, .failed(.patience)))
      #expect(test.wakes < 250)
    }
  }

  @Test("a monotonic clock at its end traps nothing either")
  func lastInstant() throws {
    var outbox = Outbox<String>(seed: 1)
    let late = Instant.distantFuture
    _ = outbox.linkUp(.a, now: late, wallClock: .noon)
    #expect(throws: Never.self) {
      try outbox.add(
        TestOutbox.packet(1, time: .noon), to: "C", size: 0, now: late - .seconds(1),
        wallClock: .noon)
    }
    let end = outbox.heard("C", now: late, wallClock: .noon)
    #expect(end == [.state(1, .failed(.patience))])
  }

  @Test("an idle outbox asks for no wake, one that waits asks rarely")
  func idle() throws {
    var test = TestOutbox()
    #expect(test.outbox.deadline == nil)
    test.linkUp()
    #expect(test.outbox.deadline == nil)
    test.linkDown()
    try test.add(1)
    test.pass(.seconds(86_400))
    // The age limit, the looks at the clock every ten minutes after it, the end.
    #expect(test.wakes < 120)
  }
}
