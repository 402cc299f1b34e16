import Testing
import Wire

@testable import CallSignal

@Suite("Clocks, suspends and restarts") struct ClockTests {
  private let invite = CallSignal.invite(CallNonce(random: 1), someKey(1))

  @Test(
    "a signal over 15 min off our clock is ignored, exactly that is taken",
    arguments: [
      (900_000, true), (900_001, false), (-900_000, true), (-900_001, false),
    ])
  func offset(_ milliseconds: Int, _ rings: Bool) {
    let world = CallWorld()
    world.inject(invite, from: 0, to: 1, offset: .milliseconds(milliseconds))
    #expect((world.state(1) == .ringing) == rings)
  }

  @Test("any time at all is survived", arguments: [0, 1, UInt64.max, UInt64.max - 1, 1 << 63])
  func anyTime(_ milliseconds: UInt64) {
    var agent = CallAgent(ownFingerprint: Fingerprint(value: 1))
    var generator = SplitMix64(seed: 1)
    let party = CallParty(
      keys: PublicKeys(signing: SigningPublicKey(), agreement: AgreementPublicKey()),
      fingerprint: Fingerprint(value: 2), isPinned: true)
    for clock in [0, 1_700_000_000_000, UInt64.max] {
      agent.receive(
        invite, from: party, on: LinkID(1), time: Timestamp(milliseconds: milliseconds), at: .zero,
        wallClock: Timestamp(milliseconds: clock), using: &generator)
    }
  }

  @Test("an unknown nonce's invite must be newer than the sender's newest signal")
  func newest() {
    let world = CallWorld()
    world.inject(.end(CallNonce(random: 9)), from: 0, to: 1)
    world.inject(invite, from: 0, to: 1)
    #expect(world.state(1) == nil, "of the same time")
    world.inject(invite, from: 0, to: 1, offset: .milliseconds(-1))
    #expect(world.state(1) == nil)
    world.inject(invite, from: 0, to: 1, offset: .milliseconds(1))
    #expect(world.state(1) == .ringing)
  }

  @Test("a recorded invite rings nobody after the call it was for")
  func recorded() throws {
    let world = CallWorld()
    for _ in 0..<12 {
      try world.connect()
      try world.hangUp(0)
      world.run(for: .seconds(2))
    }
    let before = world.reports(1).count
    for sent in world.sent {
      guard case .signal(let signal, let time) = sent.item, sent.from == 0 else { continue }
      world.inject(
        signal, from: 0, to: 1, offset: time.since(world.wallClock(0)))
    }
    #expect(world.reports(1).count == before)
    #expect(world.state(1) == nil)
  }

  @Test(
    "the signals of a sender whose clock steps back count all the same", arguments: [1, 600, 899])
  func stepsBack(_ seconds: Int) throws {
    let world = CallWorld()
    try world.connect()
    try world.hangUp(0)
    world.run(for: .seconds(2))
    world.sides[0].clockOffset = .seconds(-seconds)
    try world.connect()
    #expect(world.isConnected(0) && world.isConnected(1))
    try world.hangUp(0)
    world.run(for: .seconds(1))
    #expect(world.ending(1) == .remoteEnded)
  }

  @Test("a time far ahead is forgotten once our own clock says that it was wrong")
  func farAhead() throws {
    let world = CallWorld()
    world.sides[0].clockOffset = .seconds(3_600)
    world.sides[1].clockOffset = .seconds(3_600)
    try world.connect()
    try world.hangUp(0)
    world.run(for: .seconds(2))
    world.sides[0].clockOffset = .zero
    world.sides[1].clockOffset = .zero
    try world.connect()
    #expect(world.isConnected(0) && world.isConnected(1))
  }

  @Test("our own times go on from the last one, unless that was over 15 min ahead")
  func sending() {
    var clock = SendingClock()
    let noon = Timestamp(milliseconds: 1_000_000_000)
    #expect(clock.next(noon) == noon)
    #expect(clock.next(noon) == noon.advanced(by: .milliseconds(1)))
    #expect(clock.next(noon.advanced(by: .seconds(-60))) == noon.advanced(by: .milliseconds(2)))
    let early = noon.advanced(by: .seconds(-15 * 60))
    #expect(clock.next(early) == early)
    #expect(clock.next(Timestamp(milliseconds: .max)) == Timestamp(milliseconds: .max))
    #expect(clock.next(Timestamp(milliseconds: .max)) == Timestamp(milliseconds: .max))
  }

  @Test("a callee that was suspended while it rang has missed the call, whatever it hears first")
  func suspendedRinging() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    world.sides[1].isSuspended = true
    world.run(for: .seconds(30))
    // Still under way when it wakes up: an invite of the call that it had.
    world.inject(try #require(world.signals(0).first), from: 0, to: 1)
    world.sides[1].isSuspended = false
    #expect(world.ending(1) == .missed)
    world.run(for: .seconds(3))
    #expect(world.ending(0) == .declined)
    #expect(throws: CallRefusal.noCall) { try world.answer(1) }
  }

  @Test("a caller that was suspended while it called ends the call, whatever it hears first")
  func suspendedCalling() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    world.sides[0].isSuspended = true
    try world.answer(1)
    let answer = try #require(world.signals(1, \.isAnswer).first)
    world.run(for: .seconds(100))
    #expect(world.ending(1) == .lost)
    world.inject(answer, from: 1, to: 0)
    #expect(world.ending(0) == .noAnswer)
    #expect(world.signals(0, \.isAnswer) == [])
  }

  @Test(
    "a call lasts over a short suspend and is lost over a long one", arguments: [20, 31, 3_600])
  func suspendedInCall(_ seconds: Int) throws {
    let world = CallWorld()
    try world.connect()
    world.run(for: .seconds(1))
    world.sides[1].isSuspended = true
    world.run(for: .seconds(seconds))
    world.sides[1].isSuspended = false
    world.run(for: .seconds(3))
    let lasts = seconds < 30
    #expect(world.isConnected(0) == lasts && world.isConnected(1) == lasts)
    if !lasts { #expect(world.ending(0) == .lost && world.ending(1) == .lost) }
  }

  @Test("a peer that restarts in a call can call again once ours is lost, 30 s at the most")
  func restarted() throws {
    let world = CallWorld()
    try world.connect()
    world.run(for: .seconds(1))
    world.restart(1)
    world.run(for: .seconds(1))
    try world.call(1, 0)
    world.run(for: .seconds(1))
    #expect(world.ending(1) == .declined, "in a call as far as the other side knows")
    #expect(world.isConnected(0))
    world.run(for: .seconds(30))
    #expect(world.ending(0) == .lost)
    try world.connect(1, 0)
    #expect(world.isConnected(0) && world.isConnected(1))
  }

  @Test("a callee that restarts while it rings rings again")
  func restartedRinging() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    world.restart(1)
    world.run(for: .seconds(3))
    #expect(world.state(1) == .ringing)
    try world.answer(1)
    world.run(for: .milliseconds(50))
    #expect(world.isConnected(0))
  }

  @Test("a caller that restarts while it calls is missed after 12 s")
  func restartedCalling() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    world.restart(0)
    world.run(for: .seconds(13))
    #expect(world.ending(1) == .missed)
  }
}
