import Foundation
import Testing

@testable import Sound

@Suite("Sample ring and history") struct RingTests {
  private func pop(_ ring: SampleRing, _ count: Int) -> [Float] {
    var samples = [Float](repeating: -1, count: count)
    let got = samples.withUnsafeMutableBufferPointer {
      var room = $0.mutableSpan
      return ring.pop(into: &room)
    }
    return Array(samples[..<got])
  }

  @Test("samples come out in order, round and round, and what does not fit is refused")
  func order() {
    let ring = SampleRing(capacity: 10)
    var next: Float = 0
    var expected: Float = 0
    for turn in 0..<100 {
      let added = (0..<(turn % 8)).map { next + Float($0) }
      let pushed = ring.push(added.span)
      next += Float(pushed)
      #expect(ring.count <= 10 && pushed <= added.count)
      for sample in pop(ring, turn % 5) {
        #expect(sample == expected)
        expected += 1
      }
    }
    #expect(ring.push([Float](repeating: 0, count: 20).span) == 10 - (Int(next - expected)))
    #expect(ring.discard(100) == 10 && ring.count == 0 && pop(ring, 3) == [])
    #expect(ring.discard(-1) == 0)
  }

  @Test("two threads lose nothing and see nothing twice")
  func threads() {
    let ring = SampleRing(capacity: 97)
    let total = 200_000
    let thread = Thread {
      var next = 0
      while next < total {
        let added = (next..<min(total, next + 31)).map { Float($0) }
        next += ring.push(added.span)
      }
    }
    thread.start()
    var expected = 0
    var flaws = 0
    while expected < total {
      for sample in pop(ring, 53) {
        if sample != Float(expected) { flaws += 1 }
        expected += 1
      }
    }
    #expect(flaws == 0)
  }

  private func append(_ samples: [Float], to history: inout SampleHistory) {
    history.append(samples.span)
  }

  @Test("the history gives what it still has, and silence for the rest")
  func history() {
    var history = SampleHistory(capacity: 8)
    append([1, 2, 3, 4, 5, 6], to: &history)
    var result = [Float](repeating: 9, count: 4)
    history.copy(from: 3, into: &result)
    #expect(result == [4, 5, 6, 0])
    history.copy(from: -2, into: &result)
    #expect(result == [0, 0, 1, 2])
    append([7, 8, 9, 10], to: &history)
    history.copy(from: 0, into: &result)
    #expect(result == [0, 0, 3, 4])
    history.appendSilence(3)
    history.copy(from: 8, into: &result)
    #expect(result == [9, 10, 0, 0])
    history.appendSilence(1_000)
    #expect(history.end == 1_013)
    for start in [Int.min, .min / 2, .max, .max - 1] {
      history.copy(from: start, into: &result)
      #expect(result == [0, 0, 0, 0])
    }
  }
}

@Suite("Resampling by a little") struct CorrectionTests {
  @Test(
    "a clock that is off gives as many samples as one that is right, and no gap",
    arguments: [(24_000, 24_000), (48_000, 24_000), (44_100, 24_000), (24_000, 48_000)],
    [-1_000.0, -100, 0, 50, 500])
  func corrects(rates: (from: Int, to: Int), ppm: Double) throws {
    let resampler = try Resampler(from: rates.from, to: rates.to, quality: 5)
    let seconds = 20
    var given = 0
    var worst: Float = 0
    var last: Float = 0
    var output = [Float](repeating: 0, count: rates.to / 100 + 64)
    for block in 0..<(seconds * 100) {
      // The correction comes in the middle of the sound, and again and again.
      if block % 10 == 5 { resampler.correct(ppm: ppm + Double(block % 3)) }
      let input = (0..<(rates.from / 100)).map {
        Float(sin(Double(block * rates.from / 100 + $0) * 2 * .pi * 200 / Double(rates.from)))
      }
      var start = 0
      while start < input.count {
        let step = process(resampler, Array(input[start...]), &output)
        guard step.taken + step.given > 0 else { break }
        start += step.taken
        for place in 0..<step.given {
          if given > 1_000 { worst = max(worst, abs(output[place] - last)) }
          last = output[place]
          given += 1
        }
      }
    }
    let expected = Double(seconds * rates.to) / (1 + ppm / 1e6)
    // A step of the ratio is about 15 millionths.
    #expect(abs(Double(given) - expected) < Double(seconds * rates.to) * 20e-6 + 100)
    #expect(worst < Float(2 * .pi * 200 / Double(rates.to)) * 1.2)
  }

  @Test("what is no number changes nothing, and too much is held")
  func bounds() throws {
    let resampler = try Resampler(from: 24_000, to: 24_000, quality: 3)
    for ppm in [Double.nan, .infinity, 1e9, -1e9, 0] { resampler.correct(ppm: ppm) }
    var output = [Float](repeating: 0, count: 600)
    let step = process(resampler, [Float](repeating: 0.5, count: 480), &output)
    #expect(step.taken == 480 && step.given > 400)
  }

  private func process(
    _ resampler: Resampler, _ input: [Float], _ output: inout [Float]
  ) -> (taken: Int, given: Int) {
    output.withUnsafeMutableBufferPointer { buffer in
      var room = buffer.mutableSpan
      let step = input.withUnsafeBufferPointer { resampler.process($0.span, into: &room) }
      return step
    }
  }
}
