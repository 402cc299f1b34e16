internal import CSpeexDSP

/// Another sample rate, through speexdsp's resampler; the delay of its filter is taken out.
public final class Resampler {
  private let state: OpaquePointer
  public let from: Int
  public let to: Int

  /// A resampler between two rates in Hz, each within `WAVFormat.sampleRates`.
  ///
  /// `quality` is speexdsp's, 0 to 10: 10 for files, 3 to 5 for calls.
  public init(from: Int, to: Int, quality: Int = 10) throws(SoundError) {
    guard WAVFormat.sampleRates.contains(from), WAVFormat.sampleRates.contains(to),
      let state = speex_resampler_init(
        1, UInt32(from), UInt32(to), Int32(max(0, min(10, quality))), nil)
    else { throw SoundError("cannot be resampled from \(from) to \(to) Hz") }
    speex_resampler_skip_zeros(state)
    self.state = state
    self.from = from
    self.to = to
  }

  deinit { speex_resampler_destroy(state) }

  /// Takes the input's clock to be `ppm` millionths faster than its rate says, from here on.
  ///
  /// Sound goes on without a gap. Between -10,000 and 10,000; what is no number changes nothing. It
  /// is as exact as one in `correctionSteps`, so whoever measures the effect goes between two steps.
  public func correct(ppm: Double) {
    guard ppm.isFinite else { return }
    let held = max(-10_000, min(10_000, ppm))
    let part = UInt32(to / Self.commonDivisor(from, to))
    // Exact where nothing is to be corrected.
    let denominator = part * max(1, Self.correctionSteps / part)
    let ratio = Double(from) / Double(to) * (1 + held / 1e6)
    let numerator = UInt32((ratio * Double(denominator)).rounded())
    guard
      speex_resampler_set_rate_frac(state, numerator, denominator, UInt32(from), UInt32(to)) != 0
    else { return }
    // It is silent from here on if the ratio was not for it.
    speex_resampler_set_rate(state, UInt32(from), UInt32(to))
  }

  /// speexdsp multiplies an old denominator with a new one in 32 bits.
  public static let correctionSteps: UInt32 = 65_535

  private static func commonDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : commonDivisor(b, a % b)
  }

  /// Input samples after which the last one given has come out whole.
  public var tail: Int { Int(speex_resampler_get_input_latency(state)) }

  /// Turns input into output, from the place `offset` of it on, as far as both go; returns how much
  /// of each was used.
  public func process(
    _ input: Span<Float>, into output: inout MutableSpan<Float>, from offset: Int = 0
  ) -> (taken: Int, given: Int) {
    guard !input.isEmpty, offset >= 0, offset < output.count else { return (0, 0) }
    var taken = UInt32(clamping: input.count)
    var given = UInt32(clamping: output.count - offset)
    input.withUnsafeBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        _ = speex_resampler_process_float(
          state, 0, source.baseAddress, &taken, target.baseAddress.map { $0 + offset }, &given)
      }
    }
    return (Int(taken), Int(given))
  }
}
