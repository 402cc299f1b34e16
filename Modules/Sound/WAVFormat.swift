/// What the samples of a RIFF/WAVE file are (Microsoft, "Multiple Channel Audio Data and WAVE
/// Files"; IBM and Microsoft, "Multimedia Programming Interface and Data Specifications 1.0").
public struct WAVFormat: Hashable, Sendable {
  public enum Encoding: Hashable, Sendable {
    case unsigned8, signed16, signed24, signed32, float32

    var bytes: Int {
      switch self {
      case .unsigned8: 1
      case .signed16: 2
      case .signed24: 3
      case .signed32, .float32: 4
      }
    }
  }

  /// Hz that are read: everything that a sound card or a telephone has.
  public static let sampleRates = 4_000...384_000
  public static let maximumChannels = 32

  public let encoding: Encoding
  public let channels: Int
  /// Hz.
  public let sampleRate: Int

  /// Bytes of one sample of all channels.
  var frameBytes: Int { encoding.bytes * channels }

  public init(encoding: Encoding, channels: Int, sampleRate: Int) {
    self.encoding = encoding
    self.channels = channels
    self.sampleRate = sampleRate
  }

  /// Reads the body of a `fmt ` chunk.
  init(chunk: RawSpan) throws(SoundError) {
    guard chunk.byteCount >= Self.plainBytes else {
      throw SoundError("its format is cut short")
    }
    var tag = chunk.littleEndian(at: 0, as: UInt16.self)
    let channels = Int(chunk.littleEndian(at: 2, as: UInt16.self))
    let rate = Int(chunk.littleEndian(at: 4, as: UInt32.self))
    let block = Int(chunk.littleEndian(at: 12, as: UInt16.self))
    let bits = chunk.littleEndian(at: 14, as: UInt16.self)
    // WAVE_FORMAT_EXTENSIBLE: what it is stands at the start of a GUID.
    if tag == 0xFFFE, chunk.byteCount >= Self.extensibleBytes {
      tag = chunk.littleEndian(at: 24, as: UInt16.self)
    }
    switch (tag, bits) {
    case (1, 8): encoding = .unsigned8
    case (1, 16): encoding = .signed16
    case (1, 24): encoding = .signed24
    case (1, 32): encoding = .signed32
    case (3, 32): encoding = .float32
    case (1, _), (3, _): throw SoundError("samples of \(bits) bits are not read")
    default:
      throw SoundError("its samples are compressed (WAVE format \(tag)), which is not read")
    }
    guard (1...Self.maximumChannels).contains(channels) else {
      throw SoundError("it has \(channels) channels; 1 to \(Self.maximumChannels) are read")
    }
    guard Self.sampleRates.contains(rate) else {
      throw SoundError(
        "its sample rate is \(rate) Hz; \(Self.sampleRates.lowerBound) to "
          + "\(Self.sampleRates.upperBound) are read")
    }
    self.channels = channels
    sampleRate = rate
    guard block == frameBytes else { throw SoundError("its format contradicts itself") }
  }

  private static let plainBytes = 16
  private static let extensibleBytes = 40
}

extension RawSpan {
  /// The number whose lowest byte stands first; the bytes have to be there.
  func littleEndian<Value: FixedWidthInteger>(at offset: Int, as _: Value.Type) -> Value {
    var value: Value = 0
    for place in (0..<MemoryLayout<Value>.size).reversed() {
      value = value << 8 | Value(unsafeLoad(fromByteOffset: offset + place, as: UInt8.self))
    }
    return value
  }
}
