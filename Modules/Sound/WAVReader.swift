/// Reads a RIFF/WAVE file front to back, as one channel of floats.
///
/// Memory does not grow with the file. Chunks that say nothing about samples are passed over, and a
/// file that is cut short, or whose writer never filled its lengths in, is read as far as it goes.
public final class WAVReader {
  public let format: WAVFormat
  private let source: ByteSource
  /// Bytes of the data chunk still to come, by its own account.
  private var remaining: Int

  /// Opens a file and reads up to its first sample.
  public init(path: String) throws(SoundError) {
    source = try ByteSource(path: path)
    let header = try source.take(12) { (bytes: RawSpan) -> (UInt32, UInt32) in
      guard bytes.byteCount == 12 else { return (0, 0) }
      return (
        bytes.littleEndian(at: 0, as: UInt32.self), bytes.littleEndian(at: 8, as: UInt32.self)
      )
    }
    guard header == (Self.name("RIFF"), Self.name("WAVE")) else {
      throw SoundError("is no WAV file")
    }
    (format, remaining) = try Self.chunks(of: source)
  }

  /// Finds the format and then the data.
  private static func chunks(of source: ByteSource) throws(SoundError) -> (WAVFormat, Int) {
    var format: WAVFormat?
    for _ in 0..<maximumChunks {
      let (kind, length) = try source.take(8) { bytes throws(SoundError) -> (UInt32, Int) in
        guard bytes.byteCount == 8 else {
          throw SoundError(format == nil ? "has no format" : "has no samples")
        }
        return (
          bytes.littleEndian(at: 0, as: UInt32.self),
          Int(bytes.littleEndian(at: 4, as: UInt32.self))
        )
      }
      if kind == name("data") {
        guard let format else { throw SoundError("has samples before their format") }
        // A writer to a pipe cannot go back to fill the length in.
        let isUnknown = length == 0 || length >= 0x7FFF_0000
        return (format, isUnknown ? .max : length)
      }
      if kind == name("fmt ") {
        guard length <= maximumFormatBytes else {
          throw SoundError("has a format of absurd length")
        }
        format = try source.take(length + length % 2) { bytes throws(SoundError) in
          try WAVFormat(chunk: bytes)
        }
      } else {
        try skip(length + length % 2, of: source)
      }
    }
    throw SoundError("has over \(maximumChunks) chunks before its samples")
  }

  private static func skip(_ count: Int, of source: ByteSource) throws(SoundError) {
    var left = count
    while left > 0 {
      let got = try source.take(min(left, 32_768)) { $0.byteCount }
      if got == 0 { return }
      left -= got
    }
  }

  /// Puts the mean of the channels into `samples` and returns how many there are.
  ///
  /// Fewer than there is room for only at the end. What is no number is silence, and floats beyond
  /// ±`maximumFloat` are that.
  public func read(into samples: inout MutableSpan<Float>) throws(SoundError) -> Int {
    var filled = 0
    while filled < samples.count, remaining >= format.frameBytes {
      let fits = Self.bytesAtOnce / format.frameBytes
      let frames = min(samples.count - filled, min(fits, remaining / format.frameBytes))
      let got = try source.take(frames * format.frameBytes) { bytes in
        let whole = bytes.byteCount / format.frameBytes
        for frame in 0..<whole { samples[filled + frame] = mean(bytes, frame) }
        return whole
      }
      filled += got
      if remaining != .max { remaining -= got * format.frameBytes }
      if got < frames { remaining = 0 }
    }
    return filled
  }

  private func mean(_ bytes: RawSpan, _ frame: Int) -> Float {
    let start = frame * format.frameBytes
    if format.channels == 1 { return value(bytes, start) }
    var sum: Float = 0
    for channel in 0..<format.channels {
      sum += value(bytes, start + channel * format.encoding.bytes)
    }
    return sum / Float(format.channels)
  }

  private func value(_ bytes: RawSpan, _ offset: Int) -> Float {
    switch format.encoding {
    case .signed16:
      return Sample.float(
        Int16(bitPattern: bytes.littleEndian(at: offset, as: UInt16.self)))
    case .unsigned8:
      return (Float(bytes.littleEndian(at: offset, as: UInt8.self)) - 128) / 128
    case .signed24:
      let low = UInt32(bytes.littleEndian(at: offset, as: UInt16.self))
      let high = UInt32(bytes.littleEndian(at: offset + 2, as: UInt8.self))
      return Float(Int32(bitPattern: (high << 24) | (low << 8))) / 0x1p31
    case .signed32:
      return Float(Int32(bitPattern: bytes.littleEndian(at: offset, as: UInt32.self))) / 0x1p31
    case .float32:
      let number = Float(bitPattern: bytes.littleEndian(at: offset, as: UInt32.self))
      return number.isNaN ? 0 : max(-Self.maximumFloat, min(Self.maximumFloat, number))
    }
  }

  /// Full scale is 1; a file may be louder, but not without bound.
  public static let maximumFloat: Float = 16
  static let maximumChunks = 1_000
  static let maximumFormatBytes = 1_024
  private static let bytesAtOnce = 32_768

  private static func name(_ text: StaticString) -> UInt32 {
    text.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }
}
