import Seal
import Testing
import Wire

@testable import CallSignal

@Suite("Frames of a call") struct FrameTests {
  @Test("a frame goes out every 200 ms while nobody gives sound, of one byte")
  func filler() throws {
    let world = CallWorld()
    try world.connect()
    world.forgetSent()
    world.run(for: .seconds(2))
    #expect((9...10).contains(world.frames(0, .mesh).count))
    #expect(world.sides[1].played.allSatisfy { $0 == [0x68] })
    #expect(world.frames(0, .mesh).allSatisfy { $0.count == 21 })
  }

  @Test("no filler goes out between frames of sound")
  func noFiller() throws {
    let world = CallWorld()
    try world.connect()
    world.forgetSent()
    for _ in 0..<100 {
      world.speak(0, [1, 2])
      world.run(for: .milliseconds(20))
    }
    #expect(world.frames(0, .mesh).count == 100)
  }

  @Test("sequences count up from 0 over sound and filler, each used once")
  func sequences() throws {
    let world = CallWorld()
    try world.connect()
    for _ in 0..<20 {
      world.speak(0, [1])
      world.run(for: .milliseconds(300))
    }
    let sequences = world.frames(0, .mesh).map { $0.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    #expect(sequences == Array(0..<sequences.count))
  }

  @Test("the last sequence ends the call, and none is used again")
  func lastSequence() throws {
    var generator = SplitMix64(seed: 1)
    let (caller, callee) = try #require(pair(&generator))
    var conversation = Conversation(caller, firstSequence: .max - 1, at: .zero)
    let sealed = conversation.seal([1], at: .zero)
    let last = try #require(sealed)
    let isOpen = callee.open(last.frame.span.bytes)?.sequence
    #expect(isOpen == UInt32.max - 1)
    let none = conversation.seal([1], at: .zero) == nil
    #expect(none)
    let still = conversation.seal([1], at: .zero) == nil
    #expect(still)
  }

  @Test("nothing goes out that no packet takes", arguments: [0, 1_381, 100_000])
  func length(_ count: Int) throws {
    let world = CallWorld()
    try world.connect()
    world.forgetSent()
    world.speak(0, [UInt8](repeating: 1, count: count))
    #expect(world.sent.isEmpty)
    world.speak(0, [UInt8](repeating: 1, count: 1_380))
    #expect(world.frames(0, .mesh).map(\.count) == [1_400])
  }

  @Test("nothing goes out and nothing opens before the call and after it")
  func outside() throws {
    let world = CallWorld()
    world.speak(0, [1])
    try world.call(0, 1)
    world.speak(0, [1])
    #expect(world.frames(0, .mesh) == [])
    world.run(for: .milliseconds(50))
    try world.answer(1)
    world.run(for: .milliseconds(50))
    world.speak(0, [3])
    let frame = try #require(world.frames(0, .mesh).last)
    try world.hangUp(1)
    world.inject(frame, .mesh, from: 0, to: 1)
    #expect(world.sides[1].played == [])
  }

  @Test("a frame made for one call opens in no other, and not for its own sender")
  func otherCall() throws {
    let world = CallWorld()
    try world.connect()
    world.speak(0, [3])
    let frame = try #require(world.frames(0, .mesh).last)
    world.inject(frame, .mesh, from: 1, to: 0)
    #expect(world.sides[0].played == [])
    world.run(for: .seconds(1))
    try world.hangUp(0)
    world.run(for: .seconds(1))
    try world.connect()
    let before = world.sides[1].played
    world.inject(frame, .mesh, from: 0, to: 1)
    #expect(world.sides[1].played == before)
  }

  @Test("one bit changed anywhere, and a frame does not open; nor does it move the window")
  func bits() throws {
    let world = CallWorld()
    try world.connect()
    world.delay = { _, _, _ in nil }
    world.speak(0, [1, 2, 3, 4])
    let frame = try #require(world.frames(0, .mesh).last)
    for index in frame.indices {
      for bit in 0..<8 {
        var changed = frame
        changed[index] ^= 1 << bit
        world.inject(changed, .mesh, from: 0, to: 1)
      }
    }
    #expect(world.sides[1].played == [])
    world.inject(frame, .mesh, from: 0, to: 1)
    #expect(world.sides[1].played == [[1, 2, 3, 4]])
  }

  private func pair(_ generator: inout SplitMix64) -> (caller: CallKeys, callee: CallKeys)? {
    let a = CallKeyPair(using: &generator)
    let b = CallKeyPair(using: &generator)
    let binding = CallBinding(
      nonce: CallNonce(random: 1), caller: Fingerprint(value: 1), callee: Fingerprint(value: 2),
      callerKey: a.publicKey, calleeKey: b.publicKey)
    guard let caller = CallKeys(own: a, other: b.publicKey, isCaller: true, binding),
      let callee = CallKeys(own: b, other: a.publicKey, isCaller: false, binding)
    else { return nil }
    return (caller, callee)
  }
}
