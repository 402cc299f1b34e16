import Testing
import Wire

@testable import CallSignal

@Suite("People who are not of the call") struct OtherPeopleTests {
  @Test("who is calling, ringing or in a call declines others, three times, and says nothing")
  func busy() throws {
    for stage in 0..<3 {
      let world = CallWorld(sides: 3)
      try world.call(0, 1)
      let busy = stage == 0 ? 0 : 1
      world.run(for: .milliseconds(50))
      if stage == 2 { try world.answer(1) }
      let before = world.reports(busy)
      try world.call(2, busy)
      world.run(for: .seconds(2))
      #expect(world.ending(2) == .declined)
      #expect(world.reports(busy) == before)
      #expect(world.signals(busy, \.isDecline).count == 3)
      #expect(world.sides[busy].agent.current != nil)
    }
  }

  @Test("an invite declined because we were busy does not ring afterwards either")
  func busyIsOver() throws {
    let world = CallWorld(sides: 3)
    try world.connect()
    let invite = CallSignal.invite(CallNonce(random: 5), someKey(5))
    world.inject(invite, from: 2, to: 1)
    try world.hangUp(1)
    world.run(for: .seconds(3))
    world.forgetSent()
    world.inject(invite, from: 2, to: 1)
    #expect(world.state(1) == nil)
    #expect(world.signals(1) == [.decline(invite.nonce)])
  }

  @Test("signals of a third person who knows the nonce change nothing", arguments: 0..<3)
  func third(_ stage: Int) throws {
    let world = CallWorld(sides: 3)
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    if stage == 2 { try world.answer(1) }
    world.run(for: .milliseconds(50))
    let victim = stage == 0 ? 0 : 1
    let before = world.sides[victim].agent.current
    let nonce = try #require(before?.nonce)
    for signal: CallSignal in [
      .end(nonce), .decline(nonce), .answer(nonce, someKey(1)), .deaf(nonce),
    ] {
      world.inject(signal, from: 2, to: victim)
    }
    #expect(world.sides[victim].agent.current == before)
    #expect(world.signals(victim, { $0.isDecline || $0.isEnd }) == [])
    // Its invite of that nonce is a call of its own, and busy is what we are.
    world.inject(.invite(nonce, someKey(1)), from: 2, to: victim)
    #expect(world.sides[victim].agent.current == before)
    world.inject(.end(nonce), from: 2, to: victim)
    #expect(world.sides[victim].agent.current == before)
  }

  @Test("a third person's frames do not open")
  func thirdFrames() throws {
    let world = CallWorld(sides: 4)
    try world.connect(0, 1)
    try world.connect(2, 3)
    world.speak(2, [1])
    let frame = try #require(world.frames(2, .mesh).last)
    world.inject(frame, .mesh, from: 2, to: 1)
    world.inject(frame, .direct, from: 2, to: 1)
    #expect(world.sides[1].played == [])
  }

  @Test("a pinned person's invite takes the place of a stranger's that only rings")
  func pinnedFirst() throws {
    let world = CallWorld(sides: 3)
    world.sides[1].pinned = [0]
    try world.call(2, 1)
    world.run(for: .milliseconds(50))
    try world.call(0, 1)
    world.run(for: .seconds(2))
    #expect(world.ending(2) == .declined)
    #expect(world.reports(1) == [.ringing, .ended(.missed), .ringing])
    #expect(world.sides[1].agent.current?.party.keys == world.sides[0].keys)
  }

  @Test("but not that of a stranger in a call, nor that of another pinned person")
  func pinnedLater() throws {
    let talking = CallWorld(sides: 3)
    talking.sides[1].pinned = [0]
    try talking.connect(2, 1)
    try talking.call(0, 1)
    talking.run(for: .seconds(2))
    #expect(talking.ending(0) == .declined && talking.isConnected(1))
    let ringing = CallWorld(sides: 3)
    try ringing.call(2, 1)
    ringing.run(for: .milliseconds(50))
    try ringing.call(0, 1)
    ringing.run(for: .seconds(2))
    #expect(ringing.ending(0) == .declined && ringing.state(1) == .ringing)
  }

  @Test("a stranger takes nobody's place")
  func strangerSecond() throws {
    let world = CallWorld(sides: 4)
    world.sides[1].pinned = []
    try world.call(2, 1)
    world.run(for: .milliseconds(50))
    try world.call(3, 1)
    world.run(for: .seconds(2))
    #expect(world.ending(3) == .declined && world.state(1) == .ringing)
  }

  @Test("a stranger who is pinned while it rings is one no longer")
  func pinnedWhileRinging() throws {
    let world = CallWorld(sides: 3)
    world.sides[1].pinned = [0]
    try world.call(2, 1)
    world.run(for: .milliseconds(50))
    world.sides[1].agent.pin(world.sides[2].keys)
    world.sides[1].pinned = [0, 2]
    try world.call(0, 1)
    world.run(for: .seconds(2))
    #expect(world.ending(0) == .declined && world.state(1) == .ringing)
  }

  @Test("a stranger who rings for ever rings 75 s a nonce and is in no known person's way")
  func ringsForEver() throws {
    let world = CallWorld(sides: 3)
    world.sides[1].pinned = [0]
    world.keepsHistory = true
    var rings = 0
    for second in 0..<300 {
      // A new nonce as soon as the last one is over.
      let nonce = CallNonce(random: UInt64(rings))
      if world.sides[1].agent.current == nil, second > 0 { rings += 1 }
      world.inject(.invite(nonce, someKey(1)), from: 2, to: 1)
      world.run(for: .seconds(1))
    }
    #expect(world.reports(1).filter { $0 == .ended(.missed) }.count >= 3)
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    #expect(world.sides[1].agent.current?.party.keys == world.sides[0].keys)
    try world.answer(1)
    world.inject(.invite(CallNonce(random: 999), someKey(1)), from: 2, to: 1)
    world.run(for: .milliseconds(50))
    #expect(world.isConnected(0) && world.isConnected(1))
  }

  @Test("whoever ends a call and begins the next rings a few times at once, and then now and then")
  func ringsAnew() {
    for (isPinned, atOnce, later) in [(false, 3, 2), (true, 12, 14)] {
      let world = CallWorld(sides: 2)
      world.sides[1].pinned = isPinned ? [0] : []
      world.keepsHistory = true
      var number: UInt64 = 0
      func rings(in steps: Int, of pause: Duration) -> Int {
        let before = world.reports(1).filter { $0 == .ringing }.count
        for _ in 0..<steps {
          number += 1
          let nonce = CallNonce(random: number)
          world.inject(.invite(nonce, someKey(1)), from: 0, to: 1)
          world.inject(.end(nonce), from: 0, to: 1)
          world.run(for: pause)
        }
        return world.reports(1).filter { $0 == .ringing }.count - before
      }
      #expect(rings(in: 200, of: .milliseconds(2)) == atOnce)
      #expect(rings(in: 60, of: .seconds(1)) == later)
    }
  }

  @Test("a stranger who rings is not in the way of a call of our own")
  func callingWhileItRings() throws {
    let world = CallWorld(sides: 3)
    world.sides[1].pinned = [0]
    try world.call(2, 1)
    world.run(for: .milliseconds(50))
    try world.call(1, 0)
    world.run(for: .seconds(2))
    #expect(world.ending(2) == .declined)
    #expect(world.state(0) == .ringing && world.state(1) == .calling)
  }

  @Test("a stranger's flood of invites is not answered by a flood of declines")
  func floodOfStranger() throws {
    let world = CallWorld(sides: 3)
    world.sides[1].pinned = [0]
    try world.connect()
    world.forgetSent()
    for number in 0..<500 {
      world.inject(.invite(CallNonce(random: UInt64(number)), someKey(1)), from: 2, to: 1)
      world.run(for: .milliseconds(2))
    }
    world.run(for: .seconds(3))
    #expect(world.signals(1, \.isDecline).count <= 3 * 18)
    #expect(world.isConnected(1))
  }

  @Test("strangers push nothing of a pinned person's out, and every table stays in its bounds")
  func strangersTables() {
    var agent = CallAgent(ownFingerprint: Fingerprint(value: 1))
    var generator = SplitMix64(seed: 5)
    let clock = Timestamp(milliseconds: 1_700_000_000_000)
    func party(_ number: Int, isPinned: Bool) -> CallParty {
      var bytes = [UInt8](repeating: 0, count: 24)
      bytes.append(bigEndian: UInt64(number))
      return CallParty(
        keys: PublicKeys(
          signing: SigningPublicKey(bytes) ?? SigningPublicKey(),
          agreement: AgreementPublicKey(bytes) ?? AgreementPublicKey()),
        fingerprint: Fingerprint(value: UInt64(number + 2)), isPinned: isPinned)
    }
    let friend = party(0, isPinned: true)
    let ended = CallNonce(random: 77)
    agent.receive(
      .end(ended), from: friend, on: LinkID(1), time: clock, at: .zero, wallClock: clock,
      using: &generator)
    for number in 1...2_000 {
      for nonce: UInt64 in 0..<10 {
        agent.receive(
          .end(CallNonce(random: nonce)), from: party(number, isPinned: false),
          on: LinkID(UInt32(number % 16 + 1)), time: clock,
          at: .zero, wallClock: clock, using: &generator)
      }
    }
    for bound in agent.bounds { #expect(bound.fill <= bound.limit, "\(bound.name)") }
    agent.receive(
      .invite(ended, someKey(1)), from: friend, on: LinkID(1),
      time: clock.advanced(by: .milliseconds(1)),
      at: .zero, wallClock: clock, using: &generator)
    #expect(agent.current == nil)
    #expect(agent.takeEffects() == [.send(.decline(ended), to: friend.keys)])
  }

  @Test("strangers behind one link push out nobody who was heard on another")
  func strangersShare() {
    var memory = CallMemory()
    let clock = Timestamp(milliseconds: 1_700_000_000_000)
    let nonce = CallNonce(random: 1)
    func stranger(_ number: Int) -> CallParty {
      var bytes = [UInt8](repeating: 0, count: 24)
      bytes.append(bigEndian: UInt64(number))
      return CallParty(
        keys: PublicKeys(
          signing: SigningPublicKey(bytes) ?? SigningPublicKey(),
          agreement: AgreementPublicKey(bytes) ?? AgreementPublicKey()),
        fingerprint: Fingerprint(value: UInt64(number)), isPinned: false)
    }
    memory.end(nonce, with: stranger(1), on: LinkID(1))
    for number in 2...1_000 {
      _ = memory.note(stranger(number), time: clock, on: LinkID(2), wallClock: clock)
    }
    #expect(memory.isEnded(nonce, with: stranger(1)))
    #expect(memory.strangersCount == 1 + CallMemory.strangersShare)
    // Who left is forgotten as anybody else is: once the others need the room.
    memory.linkDown(LinkID(1))
    memory.end(nonce, with: stranger(1), on: LinkID(2))
    for number in 2...1_000 {
      _ = memory.note(stranger(number), time: clock, on: LinkID(2), wallClock: clock)
    }
    #expect(!memory.isEnded(nonce, with: stranger(1)))
  }

  @Test("eight ended nonces are remembered for each sender, the oldest goes")
  func eight() {
    let world = CallWorld()
    for nonce: UInt64 in 0..<9 { world.inject(.end(CallNonce(random: nonce)), from: 0, to: 1) }
    for nonce: UInt64 in 1..<9 {
      world.run(for: .milliseconds(1))
      world.inject(.invite(CallNonce(random: nonce), someKey(1)), from: 0, to: 1)
      #expect(world.state(1) == nil)
    }
    world.run(for: .milliseconds(1))
    world.inject(.invite(CallNonce(random: 0), someKey(1)), from: 0, to: 1)
    #expect(world.state(1) == .ringing)
  }
}
