/// The first packet of Opus in an Ogg file (RFC 7845, section 5.1).
///
/// | bytes | meaning |
/// | --- | --- |
/// | 8 | `OpusHead` |
/// | 1 | version: 1; the high half is to be 0 |
/// | 1 | channels |
/// | 2 | samples of 48 kHz to leave out at the start |
/// | 4 | sample rate of what was coded, for the reader's information |
/// | 2 | gain, in 256ths of a dB, signed |
/// | 1 | how channels are laid out: 0 one or two of them in one stream |
///
/// Numbers have their lowest byte first.
public struct OpusHead: Hashable, Sendable {
  public var channels: Int
  /// Samples of 48 kHz.
  public var preSkip: Int
  public var sampleRate: UInt32
  /// In 256ths of a dB.
  public var gain: Int16

  public static let name = Array("OpusHead".utf8)
  public static let tagsName = Array("OpusTags".utf8)

  public init(channels: Int = 1, preSkip: Int, sampleRate: UInt32, gain: Int16 = 0) {
    (self.channels, self.preSkip, self.sampleRate, self.gain) = (
      channels, preSkip, sampleRate, gain
    )
  }

  /// Nil for what is no such head, or one with channels that one decoder does not take.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 19, bytes.starts(with: Self.name), bytes[8] & 0xF0 == 0 else {
      return nil
    }
    func number(_ place: Int, _ count: Int) -> UInt32 {
      bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    channels = Int(bytes[9])
    guard (1...2).contains(channels), bytes[18] == 0 || (bytes[18] == 1 && bytes.count >= 21)
    else { return nil }
    // Family 1 writes its table out even for one stream, which has one or two channels here.
    if bytes[18] == 1, bytes[19] != 1 { return nil }
    preSkip = Int(number(10, 2))
    sampleRate = number(12, 4)
    gain = Int16(truncatingIfNeeded: number(16, 2))
  }

  public var bytes: [UInt8] {
    func little(_ number: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }
    return Self.name + [1, UInt8(clamping: channels)] + little(UInt32(clamping: preSkip), 2)
      + little(sampleRate, 4) + little(UInt32(UInt16(bitPattern: gain)), 2) + [0]
  }

  /// The second packet (section 5.2): who coded this.
  public static func tags(vendor: String, encoder: String) -> [UInt8] {
    func text(_ text: String) -> [UInt8] {
      let bytes = Array(text.utf8.prefix(255))
      return [UInt8(bytes.count), 0, 0, 0] + bytes
    }
    return tagsName + text(vendor) + [1, 0, 0, 0] + text("ENCODER=\(encoder)")
  }
}
