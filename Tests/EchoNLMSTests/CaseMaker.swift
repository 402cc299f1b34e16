import Foundation
import Testing

/// Echo cases made of nothing but a seed: talkers of pulses, noise and formants in a room of
/// reflections.
struct EchoCase {
  var far: [Float] = []
  var microphone: [Float] = []
  var near: [Float] = []
  var echo: [Float] = []
}

/// What a case is made of; times in seconds.
struct EchoRecipe: Sendable, CustomTestStringConvertible {
  let name: String
  var seconds = 6
  /// dB that the echo is softer than the far end.
  var loss: Float = 6
  /// Samples, and from `changeAt` on in another room.
  var delay = 600
  var delayAfter = 600
  var changeAt: Int?
  var near: Range<Double>?
  var far: Range<Double> = 0.2..<100
  /// dB of full scale.
  var noise: Float = -78
  /// Millionths that the microphone's clock is fast.
  var drift: Float = 0
  var isTone = false
  var testDescription: String { name }

  func make() -> EchoCase {
    let count = seconds * 24_000
    var made = EchoCase()
    made.far =
      isTone ? tones(count) : Talker(seed: 11, pitch: 110).speak(count, within: far, level: 0.07)
    made.near =
      near.map { Talker(seed: 23, pitch: 190).speak(count, within: $0, level: 0.05) }
      ?? [Float](repeating: 0, count: count)
    let gain = powf(10, -loss / 20)
    made.echo = reflect(made.far, Self.room(seed: 5, delay: delay), gain)
    if let changeAt {
      let other = reflect(made.far, Self.room(seed: 6, delay: delayAfter), gain)
      for place in changeAt * 24_000..<count { made.echo[place] = other[place] }
    }
    if drift != 0 { made.echo = stretched(made.echo) }
    var random = Noise(seed: 77)
    let loudness = powf(10, noise / 20) * Float(3).squareRoot()
    made.microphone = (0..<count).map {
      made.echo[$0] + made.near[$0] + random.next() * loudness
    }
    return made
  }

  /// Reflections that die by 60 dB in 0.25 s: places and heights, the straight way first.
  private static func room(seed: UInt64, delay: Int) -> [(place: Int, height: Float)] {
    var random = Noise(seed: seed)
    var taps = [(delay, Float(0.7))]
    for index in 1..<40 {
      let late = Float(index * index) * 2 + 40 + random.next() * 30
      taps.append((delay + Int(late), random.next() * 0.5 * powf(10, -3 * late / 6_000)))
    }
    return taps
  }

  private func reflect(
    _ far: [Float], _ room: [(place: Int, height: Float)], _ gain: Float
  ) -> [Float] {
    var echo = [Float](repeating: 0, count: far.count)
    far.withUnsafeBufferPointer { far in
      echo.withUnsafeMutableBufferPointer { echo in
        for (late, height) in room {
          var place = late
          while place < far.count {
            echo[place] += gain * height * far[place - late]
            place += 1
          }
        }
      }
    }
    return echo
  }

  private func stretched(_ signal: [Float]) -> [Float] {
    (0..<signal.count).map {
      let place = Double($0) * (1 - Double(drift) * 1e-6)
      let (low, part) = (Int(place), Float(place - Double(Int(place))))
      guard low + 1 < signal.count else { return 0 }
      return signal[low] * (1 - part) + signal[low + 1] * part
    }
  }

  private func tones(_ count: Int) -> [Float] {
    (0..<count).map {
      let second = Double($0) / 24_000
      let root = [220.0, 330, 262, 392][Int(second * 2) % 4]
      return Float((1...4).reduce(0.0) { $0 + sin(2 * .pi * root * Double($1) * second) }) * 0.04
    }
  }
}

/// Speech without words: a buzz or a hiss through three formants that wander, in syllables.
struct Talker {
  private var random: Noise
  private let pitch: Float

  init(seed: UInt64, pitch: Float) {
    random = Noise(seed: seed)
    self.pitch = pitch
  }

  func speak(_ count: Int, within span: Range<Double>, level: Float) -> [Float] {
    var talker = self
    return talker.syllables(count, span, level)
  }

  private mutating func syllables(_ count: Int, _ span: Range<Double>, _ level: Float) -> [Float] {
    var out = [Float](repeating: 0, count: count)
    var place = max(0, Int(span.lowerBound * 24_000))
    let end = min(count, Int(span.upperBound * 24_000))
    while place < end {
      let length = min(end - place, 3_000 + Int(abs(random.next()) * 3_000))
      syllable(&out, place, length, level)
      place += length + (random.next() > 0.4 ? 3_600 : 300)
    }
    return out
  }

  private mutating func syllable(_ out: inout [Float], _ start: Int, _ length: Int, _ level: Float)
  {
    let isVoiced = random.next() > -0.6
    let centres: [Float] = [
      500 + 250 * random.next(), 1_500 + 600 * random.next(), 2_700 + 500 * random.next(), 4_500,
    ]
    var memory = [(Float, Float)](repeating: (0, 0), count: centres.count)
    var phase: Float = 0
    for place in 0..<length {
      phase += pitch * (1 + 0.1 * sinf(Float(place) / 1_500)) / 24_000
      var source = random.next() * (isVoiced ? 0.1 : 0.5)
      if phase >= 1 {
        phase -= 1
        if isVoiced { source += 4 }
      }
      var sum: Float = 0
      for index in centres.indices {
        let radius: Float = 0.985 - 0.01 * Float(index)
        let turn = 2 * radius * cosf(2 * .pi * centres[index] / 24_000)
        let value = source + turn * memory[index].0 - radius * radius * memory[index].1
        memory[index] = (value, memory[index].0)
        sum += value / Float(index + 1)
      }
      let swell = sinf(.pi * Float(place) / Float(length))
      out[start + place] = sum * swell * level / 6
    }
  }
}
