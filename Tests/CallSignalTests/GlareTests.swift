import Testing
import Wire

@testable import CallSignal

@Suite("Both call each other") struct GlareTests {
  /// When the second one calls, from before the first one's invite is there to after it.
  static let offsets = [0, 1, 5, 10, 19, 20, 21, 100, 500, 1_999, 2_000, 2_001, 3_000]

  @Test(
    "whatever lies between the two, one call comes of it and nobody declines", arguments: offsets)
  func offset(_ milliseconds: Int) throws {
    for first in 0...1 {
      for delay in [5, 20, 300] {
        let world = CallWorld()
        world.delay = { _, _, _ in .milliseconds(delay) }
        try world.call(first, 1 - first)
        world.run(for: .milliseconds(milliseconds))
        try world.call(1 - first, first)
        world.run(for: .seconds(3))
        #expect(world.isConnected(0) && world.isConnected(1))
        let nonces = Set(world.sides.map { $0.agent.current?.nonce })
        #expect(nonces.count == 1, "the same call on both sides")
        #expect(world.signals(0, \.isDecline) == [] && world.signals(1, \.isDecline) == [])
        #expect(world.signals(0, \.isEnd) == [] && world.signals(1, \.isEnd) == [])
        world.speak(0, [7])
        world.speak(1, [8])
        world.run(for: .seconds(1))
        #expect(world.sides[1].played.contains([7]))
        #expect(world.sides[0].played.contains([8]))
        #expect(world.sides.filter { $0.offered != nil }.count == 1)
      }
    }
  }

  @Test("the lower fingerprint's invite wins, and the other side answers it without asking")
  func lower() throws {
    let world = CallWorld()
    try world.call(0, 1)
    let winner = try #require(world.sides[0].agent.current?.nonce)
    try world.call(1, 0)
    world.run(for: .milliseconds(50))
    #expect(world.sides[1].agent.current?.nonce == winner)
    #expect(world.reports(1) == [.calling, .connected(.mesh)])
    #expect(world.reports(0) == [.calling, .connected(.mesh)])
    #expect(world.signals(0, \.isAnswer) == [])
  }

  @Test("late invites of the loser are ignored while the winner's call lives, then declined")
  func lateLoser() throws {
    let world = CallWorld()
    try world.call(0, 1)
    try world.call(1, 0)
    let loser = try #require(world.signals(1, \.isInvite).first)
    world.run(for: .milliseconds(50))
    world.inject(loser, from: 1, to: 0)
    #expect(world.isConnected(0))
    #expect(world.signals(0, \.isDecline) == [])
    try world.hangUp(1)
    world.run(for: .milliseconds(50))
    world.inject(loser, from: 1, to: 0)
    #expect(world.signals(0, \.isDecline) == [.decline(loser.nonce)])
    #expect(world.state(0) == nil)
  }

  @Test("an answer to the loser's invite, on its way when it lost, changes nothing")
  func answerToLoser() throws {
    let world = CallWorld()
    try world.call(1, 0)
    let loser = try #require(world.sides[1].agent.current?.nonce)
    // Side 0 has lost its memory of what it answered, and calls.
    world.inject(.invite(CallNonce(random: 9), someKey(9)), from: 0, to: 1)
    let now = world.sides[1].agent.current
    #expect(now?.nonce == CallNonce(random: 9))
    world.inject(.answer(loser, someKey(3)), from: 0, to: 1)
    world.inject(.decline(loser), from: 0, to: 1)
    world.inject(.end(loser), from: 0, to: 1)
    #expect(world.sides[1].agent.current == now)
  }

  @Test("an invite with a key that gives no secret wins nothing")
  func zeroKey() throws {
    let world = CallWorld()
    try world.call(1, 0)
    let ours = world.sides[1].agent.current
    world.inject(.invite(CallNonce(random: 9), AgreementPublicKey()), from: 0, to: 1)
    #expect(world.sides[1].agent.current == ours)
  }
}
