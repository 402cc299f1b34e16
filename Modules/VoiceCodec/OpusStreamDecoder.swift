internal import COpus

/// Decodes Opus of any kind, such as files hold, to one channel of 24 kHz.
///
/// Packets come from outside: what is none is filled in for. Used by one thread at a time.
public struct OpusStreamDecoder: ~Copyable {
  /// Samples of the longest packet, 120 ms.
  static let mostSamples = VoiceFormat.sampleRateHz * 120 / 1_000

  private let decoder: OpaquePointer
  /// Packets that libopus did not take.
  public private(set) var refused = 0
  private var lastLength = VoiceFormat.frameLength

  /// A decoder that makes sound louder by `gain` 256ths of a dB.
  public init(gain: Int16 = 0) throws(VoiceCodecError) {
    var error: CInt = 0
    let made = opus_decoder_create(opus_int32(VoiceFormat.sampleRateHz), 1, &error)
    guard let made, error == OPUS_OK else { throw VoiceCodecError("opus_decoder_create", error) }
    decoder = made
    airlink_opus_set_gain(made, opus_int32(gain))
  }

  deinit { opus_decoder_destroy(decoder) }

  /// The sound of a packet; of a damaged one, what would likely be there.
  public mutating func decode(_ packet: [UInt8]) -> [Int16] {
    if !packet.isEmpty, let samples = run(packet, Self.mostSamples) {
      lastLength = samples.count
      return samples
    }
    refused += 1
    return run(nil, lastLength) ?? [Int16](repeating: 0, count: lastLength)
  }

  private mutating func run(_ packet: [UInt8]?, _ room: Int) -> [Int16]? {
    var decoded: CInt = 0
    let samples = [Int16](unsafeUninitializedCapacity: room) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      if let packet {
        decoded = opus_decode(decoder, packet, opus_int32(packet.count), base, CInt(room), 0)
      } else {
        decoded = opus_decode(decoder, nil, 0, base, CInt(room), 0)
      }
      count = max(0, Int(decoded))
    }
    return samples.isEmpty ? nil : samples
  }
}

/// libopus as it calls itself.
public var opusVersion: String {
  opus_get_version_string().map { String(cString: $0) } ?? "libopus"
}
