import CAllocationCount
import Testing

@testable import EchoNLMS

@Suite("echo cancellers, whatever the backend") struct SeamTests {
  @Test("echo goes down by over 20 dB within four seconds", arguments: EchoBackend.allCases)
  func removes(backend: EchoBackend) {
    let canceller = backend.makeCanceller()
    var room = Room(seed: 1)
    let removed = (0..<4).map { _ in room.run(canceller, frames: 50) }
    #expect(removed[3] > 20)
  }

  @Test("silence in, silence out", arguments: EchoBackend.allCases)
  func silence(backend: EchoBackend) {
    let canceller = backend.makeCanceller()
    let nothing = [Float](repeating: 0, count: 480)
    for _ in 0..<100 {
      #expect(canceller.frame(far: nothing, near: nothing) == nothing)
    }
  }

  @Test(
    "with a silent far end the near talker passes bit by bit",
    arguments: [EchoBackend.nlms, .nlmsPlain])
  func untouched(backend: EchoBackend) {
    let canceller = backend.makeCanceller()
    var noise = Noise(seed: 3)
    let nothing = [Float](repeating: 0, count: 480)
    let near = (0..<40).map { _ in noise.samples(480, amplitude: 0.4) }
    let out = near.flatMap { canceller.frame(far: nothing, near: $0) }
    let late = canceller.addedDelay
    #expect(Array(out.dropFirst(late)) == Array(near.joined().dropLast(late)))
  }

  @Test(
    "no numbers and infinities are not kept", arguments: EchoBackend.allCases,
    [Float.nan, .infinity, -.infinity, .signalingNaN, .greatestFiniteMagnitude])
  func wild(backend: EchoBackend, value: Float) {
    let canceller = backend.makeCanceller()
    var room = Room(seed: 4)
    _ = room.run(canceller, frames: 50)
    var bad = [Float](repeating: 0.1, count: 480)
    bad[100] = value
    bad[479] = value
    let out = canceller.frame(far: bad, near: bad)
    #expect(out.filter { !$0.isFinite } == [])
    for _ in 0..<50 { #expect(room.frame(canceller).output.filter { !$0.isFinite } == []) }
  }

  @Test("frames of another length pass as they are", arguments: EchoBackend.allCases)
  func lengths(backend: EchoBackend) {
    let canceller = backend.makeCanceller()
    #expect(canceller.frame(far: [], near: [0.5, 0.25], room: 3) == [0.5, 0.25, 0])
    #expect(canceller.frame(far: [1], near: [0.5, 0.25], room: 1) == [0.5])
  }

  @Test(
    "after a reset it does bit by bit what a new one does",
    arguments: [EchoBackend.nlms, .nlmsPlain])
  func reset(backend: EchoBackend) {
    let used = backend.makeCanceller()
    var before = Room(seed: 5)
    _ = before.run(used, frames: 120)
    used.reset()
    let fresh = backend.makeCanceller()
    var (one, other) = (Room(seed: 6), Room(seed: 6))
    for _ in 0..<100 { #expect(one.frame(used).output == other.frame(fresh).output) }
    #expect(used.state == fresh.state)
  }
}

@Suite("a frame of a canceller") struct FrameTests {
  @Test("allocates nothing", arguments: EchoBackend.allCases, [true, false])
  func allocations(backend: EchoBackend, withSuppressor: Bool) {
    let canceller = backend.makeCanceller(withSuppressor: withSuppressor)
    var noise = Noise(seed: 9)
    let far = noise.samples(480 * 100, amplitude: 0.3)
    var output = [Float](repeating: 0, count: 480)
    // Not under a sanitizer, which has an allocator of its own.
    guard airlink_allocation_count() >= 0 else { return }
    let before = airlink_allocation_count()
    for frame in 0..<100 {
      var span = output.mutableSpan
      let part = far.span.extracting(frame * 480..<(frame + 1) * 480)
      canceller.cancel(farEnd: part, microphone: part, output: &span)
    }
    let after = airlink_allocation_count()
    #expect(after == before)
  }
}

@Suite("the plain canceller") struct PlainNLMSTests {
  @Test("it learns nothing while the far end is silent, or from what its model does not explain")
  func gates() {
    let canceller = PlainNLMS()
    var room = Room(seed: 7)
    _ = room.run(canceller, frames: 200)
    let before = room.run(canceller, frames: 50)
    room.near = 0.5
    _ = room.run(canceller, frames: 100)
    room.near = 0
    #expect(room.run(canceller, frames: 10) > before - 3)
  }

  @Test("louder for a second is a reset, and the third reset is the last")
  func resets() {
    let canceller = PlainNLMS()
    var room = Room(seed: 8)
    for expected in 1...3 {
      #expect(!canceller.state.isOff)
      // A model, and then an echo turned upside down, which it makes louder.
      room.gain = expected % 2 == 0 ? -0.5 : 0.5
      _ = room.run(canceller, frames: 200)
      room.gain = -room.gain
      _ = room.run(canceller, frames: 60)
      #expect(canceller.state.resets == expected)
    }
    #expect(canceller.state.isOff)
    let frame = room.frame(canceller)
    #expect(frame.output == frame.microphone)
  }
}
