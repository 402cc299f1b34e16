import Testing
import Wire

@testable import VoiceCodec

@Suite("Frame pacer") struct FramePacerTests {
  /// Plays a device whose clock is `ppm` fast for `seconds`; returns frames filled in and refused.
  private func run(ppm: Int, seconds: Int) -> (filled: Int, refused: Int, taken: Int) {
    var pacer = FramePacer(start: .zero)
    var (filled, refused, taken) = (0, 0, 0)
    let period = Duration.nanoseconds(20_000_000 - 20 * ppm)
    var nextFrame = Instant.zero + period
    var nextTick = Instant.zero + .milliseconds(20)
    let end = Instant.zero + .seconds(seconds)
    while min(nextFrame, nextTick) < end {
      if nextFrame <= nextTick {
        if pacer.offer(at: nextFrame) { taken += 1 } else { refused += 1 }
        nextFrame = nextFrame + period
      } else {
        filled += pacer.missing(at: nextTick)
        nextTick = nextTick + .milliseconds(20)
      }
    }
    return (filled, refused, taken)
  }

  @Test(
    "a device that works is never helped, however its clock is off",
    arguments: [-1_000, -500, -100, 0, 100, 500, 1_000])
  func drift(ppm: Int) {
    let result = run(ppm: ppm, seconds: 3_600)
    #expect(result.filled == 0 && result.refused == 0)
    let expected = 180_000 + 180_000 * ppm / 1_000_000
    #expect(abs(result.taken - expected) <= 2)
  }

  @Test("a stall of 300 ms is filled in, and what comes late is one too many")
  func stall() {
    var pacer = FramePacer(start: .zero)
    var now = Instant.zero
    for _ in 0..<50 {
      now = now + .milliseconds(20)
      let wanted = pacer.offer(at: now)
      #expect(wanted && pacer.missing(at: now) == 0)
    }
    var filled = 0
    for _ in 0..<15 {
      now = now + .milliseconds(20)
      filled += pacer.missing(at: now)
    }
    #expect((12...14).contains(filled))
    // The device gives all it heard meanwhile.
    let taken = (0..<15).filter { _ in pacer.offer(at: now) }.count
    #expect(filled + taken <= 15 + 2)
    // In the long run there is one for every 20 ms.
    for _ in 0..<50 {
      now = now + .milliseconds(20)
      let wanted = pacer.offer(at: now)
      #expect(wanted && pacer.missing(at: now) == 0)
    }
  }

  @Test("a microphone that comes a tenth of a second at a time is taken whole")
  func bursts() {
    var pacer = FramePacer(
      start: .zero, patience: .milliseconds(140), allowance: .milliseconds(100))
    for burst in 1...200 {
      for tick in 1...5 {
        #expect(pacer.missing(at: .zero + .milliseconds(burst * 100 - 100 + tick * 20)) == 0)
      }
      let taken = (0..<5).filter { _ in pacer.offer(at: .zero + .milliseconds(burst * 100)) }
      #expect(taken.count == 5, "burst \(burst)")
    }
  }

  @Test("a device that is gone is stood in for, frame by frame")
  func gone() {
    var pacer = FramePacer(start: .zero)
    var now = Instant.zero
    var filled = 0
    for _ in 0..<500 {
      now = now + .milliseconds(20)
      let missing = pacer.missing(at: now)
      #expect(missing <= 1)
      filled += missing
    }
    #expect((497...499).contains(filled))
  }

  @Test("after a suspension only a little is filled in")
  func suspended() {
    var pacer = FramePacer(start: .zero)
    let now = Instant.zero + .seconds(3_600)
    #expect(pacer.missing(at: now) == FramePacer.mostAtOnce)
    #expect(pacer.missing(at: now + .milliseconds(20)) == 0)
  }
}
