internal import Glibc

/// How loud sound is.
public struct LevelMeter: Sendable {
  /// What silence is shown as: 16 bits know nothing softer.
  public static let silence = -96.0

  private var energy: Double = 0
  private var count = 0
  private var highest: Float = 0

  public init() {}

  /// Takes samples in; what is no number counts as silence.
  public mutating func note(_ samples: Span<Float>) {
    var sum: Double = 0
    for place in samples.indices {
      let sample = samples[place]
      guard sample.isFinite else { continue }
      sum += Double(sample) * Double(sample)
      highest = max(highest, abs(sample))
    }
    energy += sum
    count += samples.count
  }

  /// The root mean square and the peak since the last call, in dB over full scale, from `silence`
  /// up; a full-scale sine has an RMS of -3.
  ///
  /// Nil when there was no sound at all. The measurement begins anew.
  public mutating func take() -> (rms: Double, peak: Double)? {
    guard count > 0 else { return nil }
    defer { self = LevelMeter() }
    return (
      max(Self.silence, 10 * log10(energy / Double(count))),
      max(Self.silence, 20 * log10(Double(highest)))
    )
  }
}
