internal import COpus

/// Decodes speech and fills in for what was lost.
///
/// Frames come from outside: whatever they hold, each call gives one frame of sound. Used by one
/// thread at a time; owns the decoder of libopus.
public struct VoiceDecoder: ~Copyable {
  private let decoder: OpaquePointer
  /// Frames that libopus did not take, which were filled in for.
  public private(set) var refused = 0

  /// - Throws: what libopus says; it has no memory left.
  public init() throws(VoiceCodecError) {
    var error: CInt = 0
    let made = opus_decoder_create(opus_int32(VoiceFormat.sampleRateHz), 1, &error)
    guard let made, error == OPUS_OK else { throw VoiceCodecError("opus_decoder_create", error) }
    decoder = made
  }

  deinit { opus_decoder_destroy(decoder) }

  /// The sound of a frame; of one that is none, or is not of 20 ms, what would likely be there.
  public mutating func decode(_ frame: [UInt8]) -> [Int16] {
    guard Self.isOneFrame(frame), let samples = run(frame, repair: false) else {
      refused += 1
      return conceal()
    }
    return samples
  }

  /// The sound of a lost frame, from what the one behind it repeats of it.
  public mutating func recover(from next: [UInt8]) -> [Int16] {
    guard Self.isOneFrame(next), let samples = run(next, repair: true) else { return conceal() }
    return samples
  }

  /// The sound that was likely in a lost frame, by what came before it.
  public mutating func conceal() -> [Int16] {
    run(nil, repair: false) ?? [Int16](repeating: 0, count: VoiceFormat.frameLength)
  }

  private mutating func run(_ frame: [UInt8]?, repair: Bool) -> [Int16]? {
    var decoded: CInt = 0
    let samples = [Int16](unsafeUninitializedCapacity: VoiceFormat.frameLength) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      let length = CInt(VoiceFormat.frameLength)
      if let frame {
        decoded = opus_decode(
          decoder, frame, opus_int32(frame.count), base, length, repair ? 1 : 0)
      } else {
        decoded = opus_decode(decoder, nil, 0, base, length, 0)
      }
      count = max(0, Int(decoded))
    }
    return samples.count == VoiceFormat.frameLength ? samples : nil
  }

  /// Whether these bytes hold exactly 20 ms: what is longer would not fit, and what is shorter would
  /// play too fast.
  private static func isOneFrame(_ frame: [UInt8]) -> Bool {
    guard !frame.isEmpty, frame.count <= VoiceFormat.maximumFrameBytes else { return false }
    let length = opus_packet_get_nb_samples(
      frame, opus_int32(frame.count), opus_int32(VoiceFormat.sampleRateHz))
    return length == VoiceFormat.frameLength
  }
}
