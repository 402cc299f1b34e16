import Foundation
import Testing

@testable import Sound

@Suite("Level meter") struct LevelMeterTests {
  private func level(_ samples: [Float]) -> (rms: Double, peak: Double)? {
    var meter = LevelMeter()
    meter.note(samples.span)
    return meter.take()
  }

  @Test("a sine of full scale has a peak of 0 dB and an RMS of -3", arguments: [0, -6, -40])
  func sine(decibels: Double) throws {
    let amplitude = Float(pow(10, decibels / 20))
    let sine = (0..<24_000).map { amplitude * Float(sin(Double($0) * 2 * .pi * 1_000 / 24_000)) }
    let found = try #require(level(sine))
    #expect(abs(found.peak - decibels) < 0.05 && abs(found.rms - (decibels - 3.01)) < 0.05)
  }

  @Test("silence has a level, and nothing has none")
  func silence() throws {
    let found = try #require(level([Float](repeating: 0, count: 480)))
    #expect(found.rms == LevelMeter.silence && found.peak == LevelMeter.silence)
    #expect(level([]) == nil)
  }

  @Test("what is no number is silence")
  func flawed() throws {
    let found = try #require(level([.nan, .infinity, -.infinity, 0.5]))
    #expect(found.peak < -6 && found.peak > -6.1 && found.rms.isFinite)
  }

  @Test("each measurement is of its own")
  func anew() {
    var meter = LevelMeter()
    meter.note([Float](repeating: 1, count: 480).span)
    _ = meter.take()
    #expect(meter.take() == nil)
    meter.note([Float](repeating: 0, count: 480).span)
    #expect(meter.take()?.peak == LevelMeter.silence)
  }
}
