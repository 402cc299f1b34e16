import Testing

@testable import Sound

/// Two cards whose clocks are apart; what their delays tell wanders.
private struct Cards {
  let seed: UInt64
  /// How much faster the recording card is, in millionths.
  var drift: Double
  var phase = 1_000.0
  var controller = DriftController(sampleRate: 24_000)
  private var state: UInt64
  private(set) var aligned: [Double] = []

  init(drift: Double, seed: UInt64) {
    self.drift = drift
    self.seed = seed
    state = seed
  }

  /// Between -1 and 1 (xorshift).
  private mutating func noise() -> Double {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Double(state % 20_001) / 10_000 - 1
  }

  /// Lets time pass; each measurement is up to `jitter` ms off.
  mutating func run(seconds: Int, jitter: Double = 2) {
    for _ in 0..<(seconds * DriftController.measurementsPerSecond) {
      let left = drift - controller.ppm
      phase -= 24_000 * left / 1e6 / Double(DriftController.measurementsPerSecond)
      if case .align(let to) = controller.note(phase: phase + jitter * 24 * noise()) {
        aligned.append(to)
      }
    }
  }
}

@Suite("Drift controller") struct DriftControllerTests {
  static let drifts: [Double] = [-500, -300, -100, -20, 0, 20, 100, 300, 500]

  @Test("a drift is found and made up for; the phase moves little meanwhile", arguments: drifts)
  func finds(drift: Double) {
    for seed in 1...5 as ClosedRange<UInt64> {
      var cards = Cards(drift: drift, seed: seed * 7_919)
      cards.run(seconds: 900)
      let left = drift - cards.controller.ppm
      #expect(abs(left) < 12, "seed \(cards.seed): \(left) ppm left")
      // 15 ms, which is less than the margin that the canceller is given.
      let before = cards.phase
      #expect(abs(before - 1_000) < 480, "seed \(cards.seed)")
      cards.run(seconds: 600)
      #expect(abs(cards.phase - before) < 300, "seed \(cards.seed)")
    }
  }

  @Test("half a thousandth is found within a minute", arguments: [-500.0, 500])
  func quick(drift: Double) {
    var cards = Cards(drift: drift, seed: 99)
    cards.run(seconds: 60)
    #expect(abs(drift - cards.controller.ppm) < 60)
  }

  @Test("one clock is left alone, however its figures wander by 2 ms")
  func alone() {
    var cards = Cards(drift: 0, seed: 5)
    cards.run(seconds: 3_600)
    #expect(cards.controller.ppm == 0 && cards.aligned.count == 2)
  }

  @Test(
    "a jump is no drift: the streams are aligned anew", arguments: [-5_000.0, -300, 300, 48_000])
  func jump(samples: Double) {
    var cards = Cards(drift: 100, seed: 11)
    cards.run(seconds: 600)
    let (ppm, alignments) = (cards.controller.ppm, cards.aligned.count)
    cards.phase += samples
    cards.run(seconds: 3)
    #expect(cards.controller.ppm == ppm)
    #expect(cards.aligned.count == alignments + 2)
    #expect(abs((cards.aligned.last ?? 0) - cards.phase) < 48)
  }

  @Test("a hiccup of a clock changes nothing")
  func hiccup() {
    var cards = Cards(drift: 0, seed: 3)
    cards.run(seconds: 10)
    for _ in 0..<(DriftController.jumpCount - 1) { _ = cards.controller.note(phase: 1e6) }
    #expect(cards.controller.note(phase: .nan) == .steady)
    cards.run(seconds: 10)
    #expect(cards.controller.ppm == 0 && cards.aligned.count == 2)
    #expect(abs(cards.controller.phaseError) < 48)
  }

  @Test("a delay that settles after a stall is no drift", arguments: [-240.0, 240, 480])
  func settles(samples: Double) {
    var cards = Cards(drift: 0, seed: 13)
    cards.run(seconds: 10)
    // A sound server takes its delay back over some seconds.
    for _ in 0..<100 {
      cards.phase += samples / 100
      _ = cards.controller.note(phase: cards.phase)
    }
    cards.run(seconds: 60)
    #expect(cards.controller.ppm == 0)
  }

  @Test("what no card does is not followed")
  func bound() {
    var cards = Cards(drift: 50_000, seed: 2)
    cards.run(seconds: 60)
    #expect(abs(cards.controller.ppm) <= DriftController.mostPpm)
  }
}
