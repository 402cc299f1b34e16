import Outbox
import Testing
import Wire

/// A message's way from `waiting` to its end.
@Suite struct OutboxStateTests {
  @Test("with a link up it is sent at once; without one it waits")
  func sentOrWaiting() throws {
    var test = TestOutbox()
    try test.add(1)
    #expect(test.take() == [.state(1, .waiting)])
    #expect(test.outbox.state(of: .numbered(1)) == .waiting)
    test.linkUp()
    #expect(test.take() == [.offer(1), .state(1, .sent)])
    try test.add(2)
    #expect(test.take() == [.send(2), .state(2, .sent)])
    #expect(test.outbox.state(of: .numbered(2)) == .sent)
    test.linkDown()
    try test.add(3)
    #expect(test.take() == [.state(3, .waiting)])
    #expect(test.outbox.messages == [.numbered(1), .numbered(2), .numbered(3)])
  }

  @Test("what was sent stays sent when the link goes down")
  func staysSent() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    test.linkDown()
    _ = test.take()
    test.pass(.seconds(3_600))
    #expect(test.take().isEmpty)
    #expect(test.outbox.state(of: .numbered(1)) == .sent)
  }

  @Test("the recipient's receipt delivers it, and it leaves")
  func receipt() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    _ = test.take()
    test.receipt(1)
    #expect(test.take() == [.state(1, .delivered)])
    #expect(test.outbox.messages.isEmpty)
    #expect(test.outbox.packet(of: .numbered(1)) == nil)
    #expect(test.outbox.recipient(of: .numbered(1)) == nil)
    #expect(test.outbox.state(of: .numbered(1)) == nil)
    #expect(test.outbox.deadline == nil)
    #expect(test.fill("outbox-bytes") == 0)
    test.receipt(1)
    test.pass(.seconds(100_000))
    #expect(test.take().isEmpty)
  }

  @Test("a receipt from anybody else, or for an unknown message, changes nothing")
  func strangeReceipts() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    _ = test.take()
    test.receipt(1, from: "D")
    test.receipt(2)
    #expect(test.take().isEmpty)
    #expect(test.outbox.messages == [.numbered(1)])
  }

  @Test("a receipt counts though the message still says waiting, or is past its age")
  func lateReceipts() throws {
    var test = TestOutbox()
    try test.add(1)
    try test.add(2)
    _ = test.take()
    test.receipt(1)
    #expect(test.take() == [.state(1, .delivered)])
    test.pass(.seconds(7 * 3_600))
    _ = test.take()
    test.receipt(2)
    #expect(test.take() == [.state(2, .delivered)])
  }

  @Test("after 24 hours without a receipt it is given up, sent or waiting")
  func patience() throws {
    for isSent in [true, false] {
      var test = TestOutbox()
      if isSent { test.linkUp() }
      try test.add(1)
      test.pass(.seconds(24 * 3_600) - .nanoseconds(1))
      #expect(test.outbox.messages == [.numbered(1)])
      #expect(!test.effects.contains(.state(1, .failed(.patience))))
      test.pass(.nanoseconds(1))
      #expect(test.times(.state(1, .failed(.patience))) == [86_400])
      #expect(test.outbox.messages.isEmpty)
      #expect(test.outbox.deadline == nil)
    }
  }

  @Test("past six hours the user is told once, nothing is sent, and it stays until patience ends")
  func ageLimit() throws {
    for isSent in [true, false] {
      var test = TestOutbox()
      if isSent { test.linkUp() }
      try test.add(1)
      test.pass(.seconds(6 * 3_600))
      #expect(test.times(.ageLimit(1)).isEmpty)
      test.pass(.milliseconds(1))
      #expect(test.times(.ageLimit(1)) == [21_600.001])
      _ = test.take()
      test.hello()
      test.linkUp(.b)
      test.pass(.seconds(17 * 3_600))
      #expect(test.take().isEmpty)
      test.pass(.seconds(3_600))
      #expect(test.take() == [.state(1, .failed(.patience))])
    }
  }

  @Test("keys that changed fail that recipient's messages and no others")
  func keysChanged() throws {
    var test = TestOutbox()
    try test.add(1)
    try test.add(2, to: "D")
    test.linkUp()
    try test.add(3)
    _ = test.take()
    #expect(
      test.outbox.fail("C", because: .keysChanged) == [
        .state(1, .failed(.keysChanged)), .state(3, .failed(.keysChanged)),
      ])
    #expect(test.outbox.messages == [.numbered(2)])
    #expect(test.outbox.fail("C", because: .keysChanged).isEmpty)
  }

  @Test("stopping names every message that waits for its receipt, oldest first")
  func stop() throws {
    var test = TestOutbox()
    try test.add(2)
    try test.add(1, to: "D")
    try test.add(3)
    test.receipt(1, from: "D")
    #expect(
      test.outbox.stop() == [.state(2, .failed(.stopped)), .state(3, .failed(.stopped))])
    #expect(test.outbox.messages.isEmpty)
    #expect(test.outbox.deadline == nil)
    #expect(test.fill("outbox-messages") == 0)
    #expect(test.outbox.stop().isEmpty)
  }

  @Test("reasons are called what programs read")
  func reasons() {
    #expect(
      FailureReason.allCases.map(\.rawValue) == ["patience", "too-old", "keys-changed", "stopped"])
  }

  // MARK: Bounds

  @Test("the 1,025th message is refused, and nothing is lost by it")
  func fullOfMessages() throws {
    var test = TestOutbox()
    for number in 0..<1_024 as Range<UInt64> { try test.add(number) }
    #expect(throws: OutboxError.fullOfMessages(limit: 1_024)) { try test.add(2_000) }
    #expect(test.outbox.messages.count == 1_024)
    #expect(test.fill("outbox-messages") == 1_024)
    test.receipt(500)
    try test.add(2_000)
    #expect(test.outbox.messages.last == .numbered(2_000))
    #expect(test.outbox.messages.count == 1_024)
  }

  @Test("four mebibytes are the bound, to the byte")
  func fullOfBytes() throws {
    var test = TestOutbox()
    let limit = 4 * 1_024 * 1_024
    let packet = 8_240 + 44
    try test.add(1, size: limit - packet - 348, length: 8_240)
    #expect(throws: OutboxError.fullOfBytes(limit: limit)) { try test.add(2, size: 1) }
    try test.add(3, size: 0)
    #expect(test.fill("outbox-bytes") == limit)
    #expect(throws: OutboxError.fullOfBytes(limit: limit)) { try test.add(4, size: 0) }
    #expect(throws: OutboxError.fullOfBytes(limit: limit)) { try test.add(5, size: .max) }
    test.receipt(1)
    #expect(test.fill("outbox-bytes") == 348)
    try test.add(4, size: 0)
  }

  @Test("a message that is in it already is refused")
  func alreadyHeld() throws {
    var test = TestOutbox()
    try test.add(1)
    #expect(throws: OutboxError.alreadyHeld) { try test.add(1) }
    #expect(test.outbox.messages.count == 1)
    #expect(test.outbox.bounds.map(\.limit) == [1_024, 4 * 1_024 * 1_024, 1_024])
  }

  @Test("a message whose time is past its age is refused when it is handed in")
  func tooOld() throws {
    var test = TestOutbox()
    let edge = TestOutbox.packet(1, time: Timestamp.noon.advanced(by: .seconds(-21_600)))
    let past = TestOutbox.packet(
      2, time: Timestamp.noon.advanced(by: .milliseconds(-21_600_001)))
    _ = try test.outbox.add(edge, to: "C", size: 0, now: .zero, wallClock: .noon)
    #expect(throws: OutboxError.tooOld) {
      try test.outbox.add(past, to: "C", size: 0, now: .zero, wallClock: .noon)
    }
  }

  @Test("a packet sealed again takes the place of the last one")
  func replaced() throws {
    var test = TestOutbox()
    test.linkUp()
    try test.add(1)
    let first = test.outbox.packet(of: .numbered(1))
    test.pass(.seconds(60))
    let second = test.outbox.packet(of: .numbered(1))
    #expect(second != nil && second != first)
    #expect(second?.header.time == first?.header.time)
    let bytes = test.fill("outbox-bytes")
    test.outbox.replacePacket(
      of: .numbered(1), with: TestOutbox.packet(77, time: .noon, length: 560))
    #expect(test.fill("outbox-bytes") == bytes + 256)
    test.outbox.replacePacket(of: .numbered(5), with: TestOutbox.packet(78, time: .noon))
    #expect(test.outbox.messages == [.numbered(1)])
    #expect(test.outbox.recipient(of: .numbered(1)) == "C")
  }
}
