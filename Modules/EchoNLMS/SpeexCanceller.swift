internal import CSpeexDSP

/// speexdsp's canceller behind the same seam: Valin's adjusted learning rate (IEEE Transactions on
/// Audio, Speech and Language Processing 15(3), 2007), and its residual suppressor.
public final class SpeexCanceller: EchoCanceller {
  private static let frame = EchoFormat.frameSamples
  /// speexdsp's preprocessor works on two frames, half overlapped.
  private static let suppressorDelay = frame

  public let addedDelay: Int
  public var state: EchoState { EchoState() }

  private let echo: OpaquePointer
  private let suppressor: OpaquePointer?
  private let far: UnsafeMutablePointer<Int16>
  private let near: UnsafeMutablePointer<Int16>
  private let clean: UnsafeMutablePointer<Int16>

  public init(withSuppressor: Bool = true) {
    echo = speex_echo_state_init(Int32(Self.frame), Int32(EchoFormat.taps))
    var rate = Int32(EchoFormat.sampleRate)
    speex_echo_ctl(echo, SPEEX_ECHO_SET_SAMPLING_RATE, &rate)
    addedDelay = withSuppressor ? Self.suppressorDelay : 0
    suppressor =
      withSuppressor
      ? speex_preprocess_state_init(Int32(Self.frame), Int32(EchoFormat.sampleRate)) : nil
    if let suppressor {
      var off: Int32 = 0
      // The echo alone is to be suppressed, not the room's noise.
      speex_preprocess_ctl(suppressor, SPEEX_PREPROCESS_SET_DENOISE, &off)
      speex_preprocess_ctl(
        suppressor, SPEEX_PREPROCESS_SET_ECHO_STATE, UnsafeMutableRawPointer(echo))
    }
    far = .allocate(capacity: Self.frame)
    near = .allocate(capacity: Self.frame)
    clean = .allocate(capacity: Self.frame)
  }

  deinit {
    if let suppressor { speex_preprocess_state_destroy(suppressor) }
    speex_echo_state_destroy(echo)
    far.deallocate()
    near.deallocate()
    clean.deallocate()
  }

  /// Forgets the echo path.
  ///
  /// What speexdsp's suppressor knows of the room's noise stays: it has no
  /// way to forget it.
  public func reset() { speex_echo_state_reset(echo) }

  public func cancel(
    farEnd: Span<Float>, microphone: Span<Float>, output: inout MutableSpan<Float>
  ) {
    guard farEnd.count == Self.frame, microphone.count == Self.frame, output.count == Self.frame
    else { return pass(microphone, &output) }
    for place in 0..<Self.frame {
      far[place] = Self.int16(farEnd[place])
      near[place] = Self.int16(microphone[place])
    }
    speex_echo_cancellation(echo, near, far, clean)
    if let suppressor { speex_preprocess_run(suppressor, clean) }
    for place in 0..<Self.frame { output[place] = Float(clean[place]) / Self.fullScale }
  }

  private static let fullScale: Float = 32_768

  private static func int16(_ sample: Float) -> Int16 {
    let scaled = (sample * fullScale).rounded(.toNearestOrEven)
    return scaled.isNaN ? 0 : Int16(max(-fullScale, min(fullScale - 1, scaled)))
  }
}
