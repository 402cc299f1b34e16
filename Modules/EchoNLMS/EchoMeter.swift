internal import Glibc

/// How much echo a canceller removes, second by second.
///
/// Echo return loss enhancement (ITU-T G.168): the microphone's energy over the output's, while the
/// far end is audible. With somebody talking at the near end too it reads low.
public struct EchoMeter: Sendable {
  /// What was measured over one second.
  public struct Second: Hashable, Sendable {
    /// dB; nil where the far end was silent.
    public var removed: Float?
    public var state = EchoState()
  }

  /// What was measured over the whole.
  public struct Total: Sendable {
    var input: Double = 0
    var output: Double = 0

    public init() {}

    /// dB; nil where no echo was heard.
    public var removed: Float? {
      input > 0 ? EchoMeter.decibels(input, output) : nil
    }
  }

  private static let audible: Float = 1e-6
  private var input: Double = 0
  private var output: Double = 0
  private var audibleFrames = 0
  private var frames = 0
  /// Output waits for input that is `addedDelay` old: energies are compared over a whole second, in
  /// which 10 ms do not matter.
  private static let framesOfSecond = EchoFormat.sampleRate / EchoFormat.frameSamples
  /// Frames that the room goes on sounding after the far end.
  private static let ringing = 8
  private var sounding = 0

  public init() {}

  /// Takes a frame of all three; returns a measurement at the end of each second.
  public mutating func note(
    farEnd: Span<Float>, microphone: Span<Float>, output cleaned: Span<Float>, state: EchoState,
    total: inout Total
  ) -> Second? {
    if Self.energy(farEnd) > Double(Self.audible) * Double(farEnd.count) {
      sounding = Self.ringing
    } else {
      sounding = max(0, sounding - 1)
    }
    if sounding > 0 {
      let energies = (Self.energy(microphone), Self.energy(cleaned))
      input += energies.0
      output += energies.1
      total.input += energies.0
      total.output += energies.1
      audibleFrames += 1
    }
    frames += 1
    guard frames == Self.framesOfSecond else { return nil }
    defer { (input, output, audibleFrames, frames) = (0, 0, 0, 0) }
    var second = Second(removed: nil, state: state)
    if audibleFrames >= 5, input > 0 {
      second.removed = Self.decibels(input, output)
    }
    return second
  }

  /// dB of one energy over another, between -99 and 99.
  static func decibels(_ a: Double, _ b: Double) -> Float {
    Float(max(-99, min(99, 10 * log10(max(a, 1e-12) / max(b, 1e-12)))))
  }

  private static func energy(_ samples: Span<Float>) -> Double {
    var sum: Double = 0
    for place in samples.indices {
      let sample = Double(samples[place])
      if sample.isFinite { sum += sample * sample }
    }
    return sum
  }
}
