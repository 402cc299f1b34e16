import Testing
import Wire

@testable import CallSignal

@Suite("Signals that cross, repeat and get lost") struct CrossingTests {
  @Test("a lost answer is said again for the caller's next invite, with the same key")
  func lostAnswer() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(100))
    world.delay = { from, _, item in
      if case .signal(.answer, _) = item { nil } else { .milliseconds(5) }
    }
    try world.answer(1)
    world.run(for: .seconds(3))
    #expect(world.state(0) == .calling)
    world.delay = { _, _, _ in .milliseconds(5) }
    world.run(for: .seconds(2))
    #expect(world.isConnected(0))
    let answers = world.signals(1, \.isAnswer)
    #expect(answers.count >= 3 && Set(answers).count == 1)
    world.speak(1, [9])
    world.run(for: .milliseconds(10))
    #expect(world.sides[0].played.last == [9])
  }

  @Test("a flood of one invite does not become a flood of answers")
  func floodOfInvites() throws {
    let world = CallWorld()
    try world.connect()
    let invite = try #require(world.signals(0, \.isInvite).first)
    world.forgetSent()
    for _ in 0..<1_000 { world.inject(invite, from: 0, to: 1) }
    #expect(world.signals(1, \.isAnswer).count == 4)
  }

  @Test("the live nonce with another key is ignored, ringing and in the call")
  func otherKey() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    let nonce = try #require(world.sides[0].agent.current?.nonce)
    world.delay = { from, _, item in
      if case .signal(.invite, _) = item { nil } else { .milliseconds(5) }
    }
    for _ in 0..<7 {
      world.run(for: .milliseconds(1_700))
      world.inject(.invite(nonce, someKey(5)), from: 0, to: 1)
    }
    world.run(for: .milliseconds(200))
    #expect(world.ending(1) == .missed, "another key's repeats keep nothing ringing")
    let other = CallWorld()
    try other.connect()
    let live = try #require(other.sides[0].agent.current?.nonce)
    other.forgetSent()
    other.inject(.invite(live, someKey(5)), from: 0, to: 1)
    #expect(other.signals(1) == [])
    #expect(other.isConnected(1))
  }

  @Test("an answer counts once, and for the caller alone")
  func answerOnce() throws {
    let world = CallWorld()
    try world.connect()
    let nonce = try #require(world.sides[0].agent.current?.nonce)
    world.inject(.answer(nonce, someKey(4)), from: 1, to: 0)
    world.inject(.answer(nonce, someKey(4)), from: 0, to: 1)
    world.speak(0, [1])
    world.speak(1, [2])
    world.run(for: .milliseconds(10))
    #expect(world.sides[1].played == [[1]] && world.sides[0].played == [[2]])
    let ringing = CallWorld()
    try ringing.call(0, 1)
    ringing.run(for: .milliseconds(10))
    ringing.inject(
      .answer(try #require(ringing.sides[0].agent.current?.nonce), someKey(4)), from: 0, to: 1)
    #expect(ringing.state(1) == .ringing)
  }

  @Test("an answer whose key gives no secret is no answer")
  func zeroAnswer() throws {
    let world = CallWorld()
    try world.call(0, 1)
    let nonce = try #require(world.sides[0].agent.current?.nonce)
    world.inject(.answer(nonce, AgreementPublicKey()), from: 1, to: 0)
    #expect(world.state(0) == .calling)
  }

  @Test("an invite whose key gives no secret does not ring")
  func zeroInvite() {
    let world = CallWorld()
    world.inject(.invite(CallNonce(random: 1), AgreementPublicKey()), from: 0, to: 1)
    #expect(world.state(1) == nil && world.signals(1) == [])
  }

  @Test("an answer that crosses an end connects nobody")
  func answerCrossesEnd() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    try world.answer(1)
    try world.hangUp(0)
    world.run(for: .seconds(2))
    #expect(world.state(0) == nil && world.state(1) == nil)
    #expect(world.ending(0) == .hungUp && world.ending(1) == .remoteEnded)
    #expect(world.reports(0) == [.calling, .ended(.hungUp)])
  }

  @Test("an end that overtakes its invite keeps it from ringing, and it is declined")
  func endOvertakes() {
    let world = CallWorld()
    let nonce = CallNonce(random: 3)
    world.inject(.end(nonce), from: 0, to: 1)
    world.inject(.invite(nonce, someKey(1)), from: 0, to: 1)
    #expect(world.state(1) == nil && world.reports(1) == [])
    #expect(world.signals(1) == [.decline(nonce)])
  }

  @Test("both hang up at once: both are out, by their own doing")
  func bothHangUp() throws {
    let world = CallWorld()
    try world.connect()
    try world.hangUp(0)
    try world.hangUp(1)
    world.run(for: .seconds(3))
    #expect(world.ending(0) == .hungUp && world.ending(1) == .hungUp)
    #expect(world.sides.allSatisfy { $0.agent.deadline == nil })
  }

  @Test("one end of three is enough", arguments: 0..<3)
  func oneOfThree(_ survivor: Int) throws {
    let world = CallWorld()
    try world.connect()
    var ends = 0
    world.delay = { _, _, item in
      if case .signal(.end, _) = item {
        ends += 1
        return ends - 1 == survivor ? .zero : nil
      }
      return .zero
    }
    try world.hangUp(0)
    world.run(for: .seconds(2))
    #expect(world.ending(1) == .remoteEnded)
  }

  @Test("all ends lost: 5 s later the other side is told, 30 s later its call is lost")
  func lostEnd() throws {
    let world = CallWorld()
    try world.connect()
    world.run(for: .seconds(1))
    world.delay = { _, _, _ in nil }
    try world.hangUp(0)
    let start = world.now
    world.run(for: .seconds(60))
    let quiet = world.times(1) { if case .quiet = $0 { true } else { false } }
    #expect(quiet.count == 1)
    let since = try #require(quiet.first) - start
    #expect(since > .milliseconds(4_700) && since <= .seconds(5))
    #expect(world.ending(1) == .lost)
    let lost = try #require(
      world.times(1) {
        if case .report(let report) = $0 { report.state == .ended(.lost) } else { false }
      }.first)
    #expect(lost - start > .milliseconds(29_700) && lost - start <= .seconds(30))
  }

  @Test("who was told of the silence is told of the next one too")
  func quietAgain() throws {
    let world = CallWorld()
    try world.connect()
    for _ in 0..<3 {
      world.delay = { _, _, _ in nil }
      world.run(for: .seconds(7))
      world.delay = { _, _, _ in .zero }
      world.run(for: .seconds(1))
    }
    #expect(world.isConnected(0) && world.isConnected(1))
    #expect(world.times(1) { if case .quiet = $0 { true } else { false } }.count == 3)
  }

  @Test("frames that come before the answer play nothing and break nothing")
  func earlyFrames() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(10))
    world.delay = { _, _, item in
      if case .signal(.answer, _) = item { .milliseconds(300) } else { .zero }
    }
    try world.answer(1)
    for byte in 0..<10 {
      world.speak(1, [UInt8(byte)])
      world.run(for: .milliseconds(20))
    }
    #expect(world.sides[0].played == [])
    world.run(for: .milliseconds(300))
    world.speak(1, [99])
    world.run(for: .milliseconds(10))
    #expect(world.sides[0].played.last == [99])
  }

  @Test("a decline from the caller, or of another call, changes nothing")
  func strangeDecline() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(10))
    let nonce = try #require(world.sides[0].agent.current?.nonce)
    world.inject(.decline(nonce), from: 0, to: 1)
    #expect(world.state(1) == .ringing)
    world.inject(.decline(CallNonce(random: 8)), from: 1, to: 0)
    #expect(world.state(0) == .calling)
  }

  @Test("a callee that has lost its call declines its repeated invite, which ends it at the caller")
  func declineInCall() throws {
    let world = CallWorld()
    try world.connect()
    world.inject(.decline(try #require(world.sides[0].agent.current?.nonce)), from: 1, to: 0)
    #expect(world.ending(0) == .remoteEnded)
  }
}
