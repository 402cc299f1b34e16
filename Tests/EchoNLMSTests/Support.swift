import Testing

@testable import EchoNLMS

extension EchoCanceller {
  func frame(far: [Float], near: [Float], room: Int = 480) -> [Float] {
    var output = [Float](repeating: 0, count: room)
    var span = output.mutableSpan
    cancel(farEnd: far.span, microphone: near.span, output: &span)
    return output
  }
}

/// Noise that is the same in every run (SplitMix64).
struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> Float {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return Float(Double((word ^ (word >> 31)) >> 11) / 0x1p52 - 1)
  }

  mutating func samples(_ count: Int, amplitude: Float) -> [Float] {
    (0..<count).map { _ in next() * amplitude }
  }
}

/// A far end of noise, a wall that throws it back, and somebody who may speak.
struct Room {
  var gain: Float = 0.5
  /// Amplitude of the near talker.
  var near: Float = 0
  /// Samples that the echo is late.
  var delay = 240
  private var farNoise: Noise
  private var nearNoise: Noise
  private var past = [Float](repeating: 0, count: 24_000)

  init(seed: UInt64) {
    farNoise = Noise(seed: seed)
    nearNoise = Noise(seed: seed &+ 1_000)
  }

  /// One frame through a canceller.
  mutating func frame(_ canceller: any EchoCanceller) -> (microphone: [Float], output: [Float]) {
    let far = farNoise.samples(480, amplitude: 0.3)
    past.removeFirst(480)
    past += far
    let echo = past[(past.count - 480 - delay)..<(past.count - delay)]
    let talker = nearNoise.samples(480, amplitude: near)
    let microphone = zip(echo, talker).map { $0 * gain + $1 }
    return (microphone, canceller.frame(far: far, near: microphone))
  }

  /// dB removed over some frames.
  mutating func run(_ canceller: any EchoCanceller, frames: Int) -> Float {
    var (input, output) = (0.0, 0.0)
    for _ in 0..<frames {
      let frame = frame(canceller)
      input += frame.microphone.reduce(0) { $0 + Double($1 * $1) }
      output += frame.output.reduce(0) { $0 + Double($1 * $1) }
    }
    return EchoMeter.decibels(input, output)
  }
}
