import Testing
import Wire

@testable import CallSignal

@Suite("A call, from ringing to its end") struct CallingTests {
  @Test("rings, is answered, carries sound both ways and ends on both sides")
  func plain() throws {
    let world = CallWorld()
    try world.connect()
    #expect(world.reports(0) == [.calling, .connected(.mesh)])
    #expect(world.reports(1) == [.ringing, .connected(.mesh)])
    world.speak(0, [1, 2, 3])
    world.speak(1, [4, 5])
    world.run(for: .milliseconds(20))
    #expect(world.sides[1].played == [[1, 2, 3]])
    #expect(world.sides[0].played == [[4, 5]])
    try world.hangUp(1)
    world.run(for: .seconds(2))
    #expect(world.ending(1) == .hungUp)
    #expect(world.ending(0) == .remoteEnded)
    #expect(world.sides.allSatisfy { $0.agent.current == nil })
    #expect(world.sides.allSatisfy { $0.agent.deadline == nil })
  }

  @Test("the direct road is offered before the invite and left at the end")
  func offer() throws {
    let world = CallWorld()
    try world.call(0, 1)
    let effects = world.sides[0].effects.map(\.effect)
    let offer = effects.firstIndex { if case .offerDirect = $0 { true } else { false } }
    let invite = effects.firstIndex { if case .send = $0 { true } else { false } }
    #expect(try #require(offer) < #require(invite))
    let nonce = try #require(world.sides[0].offered)
    world.run(for: .milliseconds(50))
    #expect(world.sides[1].joined == nil)
    try world.answer(1)
    #expect(world.sides[1].joined == nonce)
    world.run(for: .seconds(1))
    try world.hangUp(0)
    world.run(for: .seconds(1))
    #expect(world.sides[0].offered == nil && world.sides[1].joined == nil)
  }

  @Test("an invite is said again every 2 s, with the same nonce and key")
  func invites() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(9_999))
    let invites = world.signals(0)
    #expect(invites.count == 5)
    #expect(Set(invites).count == 1)
    #expect(world.reports(1) == [.ringing])
  }

  @Test("nobody answers for 60 s: the caller ends the call, three times, and the callee missed it")
  func noAnswer() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(59_990))
    #expect(world.state(0) == .calling)
    world.run(for: .seconds(2))
    #expect(world.ending(0) == .noAnswer)
    #expect(world.ending(1) == .missed)
    #expect(world.signals(0, \.isInvite).count == 30)
    #expect(world.signals(0, \.isEnd).count == 3)
  }

  @Test("no invite for 12 s: missed, and one that comes later is declined")
  func missed() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(100))
    world.delay = { from, _, _ in from == 0 ? nil : .zero }
    world.run(for: .milliseconds(11_880))
    #expect(world.state(1) == .ringing)
    world.run(for: .milliseconds(100))
    #expect(world.ending(1) == .missed)
    #expect(world.signals(1).isEmpty)
    world.delay = { _, _, _ in .milliseconds(5) }
    world.run(for: .seconds(3))
    #expect(world.ending(0) == .declined)
    #expect(world.reports(1) == [.ringing, .ended(.missed)])
  }

  @Test("it rings for 75 s at the most, whatever is heard; after that its invites are declined")
  func longestRinging() throws {
    let world = CallWorld()
    let invite = CallSignal.invite(CallNonce(random: 1), someKey(1))
    for _ in 0..<74 {
      world.inject(invite, from: 0, to: 1)
      world.run(for: .seconds(1))
    }
    #expect(world.state(1) == .ringing)
    world.inject(invite, from: 0, to: 1)
    world.run(for: .seconds(1))
    #expect(world.ending(1) == .missed)
    world.inject(invite, from: 0, to: 1)
    #expect(world.state(1) == nil)
    #expect(world.signals(1, \.isDecline).count == 1)
  }

  @Test("declining is said three times, 0.5 s apart, and ends the caller's call")
  func decline() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(10))
    let declinedAt = world.now
    try world.decline(1)
    world.run(for: .seconds(5))
    #expect(world.ending(1) == .declinedHere)
    #expect(world.ending(0) == .declined)
    let times = world.sent.filter { $0.from == 1 }.map { $0.time - declinedAt }
    #expect(times == [.zero, .milliseconds(500), .milliseconds(1_000)])
    #expect(world.signals(0, \.isEnd).isEmpty)
  }

  @Test("each sending is a packet of its own with a later time")
  func times() throws {
    let world = CallWorld()
    try world.connect()
    try world.hangUp(0)
    world.run(for: .seconds(2))
    let times = world.sent.compactMap { sent -> Timestamp? in
      if case .signal(_, let time) = sent.item, sent.from == 0 { time } else { nil }
    }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("hanging up while it rings declines, and while we call ends the call")
  func hangUp() throws {
    let world = CallWorld()
    try world.call(0, 1)
    world.run(for: .milliseconds(10))
    try world.hangUp(1)
    #expect(world.signals(1) == [.decline(try #require(world.sides[0].agent.current?.nonce))])
    let other = CallWorld()
    try other.call(0, 1)
    other.run(for: .milliseconds(10))
    try other.hangUp(0)
    other.run(for: .milliseconds(10))
    #expect(other.ending(0) == .hungUp)
    #expect(other.ending(1) == .missed)
  }

  @Test("commands without the call they need are refused")
  func refused() throws {
    let world = CallWorld(sides: 3)
    #expect(throws: CallRefusal.noCall) { try world.answer(0) }
    #expect(throws: CallRefusal.noCall) { try world.decline(0) }
    #expect(throws: CallRefusal.noCall) { try world.hangUp(0) }
    try world.call(0, 1)
    #expect(throws: CallRefusal.noCall) { try world.answer(0) }
    #expect(throws: CallRefusal.noCall) { try world.decline(0) }
    #expect(throws: CallRefusal.busy) { try world.call(0, 1) }
    #expect(throws: CallRefusal.busy) { try world.call(0, 2) }
    world.run(for: .milliseconds(10))
    #expect(throws: CallRefusal.busy) { try world.call(1, 2) }
    try world.answer(1)
    #expect(throws: CallRefusal.noCall) { try world.answer(1) }
    #expect(throws: CallRefusal.noCall) { try world.decline(1) }
    #expect(throws: CallRefusal.busy) { try world.call(1, 0) }
  }

  @Test("a command that names a call is refused when it is another that is on")
  func named() throws {
    let world = CallWorld(sides: 3)
    world.sides[1].pinned = [0]
    try world.call(2, 1)
    world.run(for: .milliseconds(50))
    let first = try #require(world.sides[1].agent.current?.nonce)
    // Somebody known calls, and the stranger's call gives way.
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    let second = try #require(world.sides[1].agent.current?.nonce)
    #expect(first != second)
    #expect(throws: CallRefusal.noCall) { try world.sides[1].agent.answer(first, at: world.now) }
    #expect(throws: CallRefusal.noCall) { try world.sides[1].agent.decline(first, at: world.now) }
    #expect(throws: CallRefusal.noCall) { try world.sides[1].agent.hangUp(first, at: world.now) }
    #expect(world.state(1) == .ringing)
    try world.sides[1].agent.answer(second, at: world.now)
    #expect(world.isConnected(1))
  }

  @Test("calling whoever rings answers them")
  func callBack() throws {
    let world = CallWorld()
    try world.call(1, 0)
    world.run(for: .milliseconds(500))
    try world.call(0, 1)
    world.run(for: .milliseconds(50))
    #expect(world.isConnected(0) && world.isConnected(1))
    #expect(world.signals(0, \.isInvite).isEmpty)
  }

  @Test("what cannot go on here ends with its reason, and the other side is told")
  func failed() throws {
    let world = CallWorld()
    try world.connect()
    world.fail(0)
    world.run(for: .milliseconds(50))
    #expect(world.ending(0) == .failed)
    #expect(world.ending(1) == .remoteEnded)
    world.fail(0)
    #expect(world.reports(0).count == 3)
  }
}
