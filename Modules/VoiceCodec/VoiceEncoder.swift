internal import COpus

/// Codes speech, a frame at a time.
///
/// At a constant bit rate: frames that were longer while somebody speaks would tell who does, to
/// whoever sees no more than their lengths.
///
/// Used by one thread at a time; owns the encoder of libopus.
public struct VoiceEncoder: ~Copyable {
  private let encoder: OpaquePointer

  /// - Throws: what libopus says; it has no memory left.
  public init() throws(VoiceCodecError) {
    var error: CInt = 0
    let made = opus_encoder_create(
      opus_int32(VoiceFormat.sampleRateHz), 1, OPUS_APPLICATION_VOIP, &error)
    guard let made, error == OPUS_OK else { throw VoiceCodecError("opus_encoder_create", error) }
    error = airlink_opus_set_up(made, opus_int32(VoiceFormat.bitrate))
    guard error == OPUS_OK else {
      opus_encoder_destroy(made)
      throw VoiceCodecError("opus_encoder_ctl", error)
    }
    encoder = made
  }

  deinit { opus_encoder_destroy(encoder) }

  /// Puts into each frame from now on what repairs the one before, or leaves it out.
  ///
  /// The frames stay as long as they are; `RepairChoice` says what it costs.
  public mutating func setRepair(_ isOn: Bool) throws(VoiceCodecError) {
    let error = airlink_opus_expect_loss(encoder, isOn ? CInt(VoiceFormat.repairedLossPercent) : 0)
    guard error == OPUS_OK else { throw VoiceCodecError("opus_encoder_ctl", error) }
  }

  /// Samples by which sound comes out of a decoder later than it went in here.
  public var lookahead: Int { max(0, Int(airlink_opus_lookahead(encoder))) }

  /// One coded frame of exactly `VoiceFormat.frameLength` samples.
  public mutating func encode(_ samples: [Int16]) throws(VoiceCodecError) -> [UInt8] {
    precondition(samples.count == VoiceFormat.frameLength, "a frame is 480 samples")
    var result: opus_int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: VoiceFormat.maximumFrameBytes) {
      buffer, count in
      guard let base = buffer.baseAddress else { return }
      result = opus_encode(
        encoder, samples, CInt(samples.count), base, opus_int32(buffer.count))
      count = max(0, Int(result))
    }
    guard result > 0 else { throw VoiceCodecError("opus_encode", CInt(result)) }
    return bytes
  }
}

extension VoiceCodecError {
  init(_ call: String, _ error: CInt) {
    self.init(call: call, reason: opus_strerror(error).map { String(cString: $0) } ?? "\(error)")
  }
}
