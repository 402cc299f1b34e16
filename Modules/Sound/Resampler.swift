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
