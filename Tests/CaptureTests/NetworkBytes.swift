import Capture
import Wire

/// Packets of a network, made byte by byte as RFC 791, 8200, 768 and 9293 have them.
enum NetworkBytes {
  static func word(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  static let ada: [UInt8] = [10, 77, 1, 1]
  static let ben: [UInt8] = [10, 77, 1, 2]
  static let ada6: [UInt8] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
  static let ben6: [UInt8] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]

  static func ipv4(
    _ payload: [UInt8], protocol number: UInt8 = 6, from source: [UInt8] = ada,
    to destination: [UInt8] = ben, fragment: UInt16 = 0x4000, options: Int = 0,
    totalLength: Int? = nil
  ) -> [UInt8] {
    [0x45 + UInt8(options), 0] + word(UInt16(totalLength ?? 20 + 4 * options + payload.count))
      + [0, 0] + word(fragment) + [64, number, 0, 0] + source + destination
      + [UInt8](repeating: 1, count: 4 * options) + payload
  }

  static func ipv6(
    _ payload: [UInt8], next: UInt8 = 6, from source: [UInt8] = ada6,
    to destination: [UInt8] = ben6
  ) -> [UInt8] {
    [0x60, 0, 0, 0] + word(UInt16(payload.count)) + [next, 64] + source + destination + payload
  }

  static func tcp(
    _ data: [UInt8] = [], sequence: UInt32, acknowledgment: UInt32? = nil, flags: UInt8 = 0,
    from source: UInt16 = 41_000, to destination: UInt16 = 7_000, options: Int = 3
  ) -> [UInt8] {
    word(source) + word(destination) + word(sequence) + word(acknowledgment ?? 0)
      + [UInt8(5 + options) << 4, flags | (acknowledgment == nil ? 0 : 0x10)]
      + [0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 4 * options) + data
  }

  static func udp(
    _ data: [UInt8], from source: UInt16 = 41_000, to destination: UInt16 = 7_000
  ) -> [UInt8] {
    word(source) + word(destination) + word(UInt16(8 + data.count)) + [0, 0] + data
  }

  static func ethernet(_ packet: [UInt8], tags: [UInt16] = []) -> [UInt8] {
    [UInt8](repeating: 2, count: 12) + tags.flatMap { word($0) + [0, 7] }
      + word(packet[0] >> 4 == 4 ? 0x0800 as UInt16 : 0x86DD) + packet
  }
}

/// One end's side of a TCP connection in a capture of raw IP.
struct Conversation {
  static let first: UInt32 = 0xFFFF_FF00
  static let other: UInt32 = 5_000
  private(set) var file = CaptureBytes()
  private var record: UInt32 = 0

  init(linkType: UInt32 = 101) { file.pcapHeader(linkType: linkType) }

  var bytes: [UInt8] { file.bytes }

  mutating func raw(_ bytes: [UInt8], original: Int? = nil, seconds: UInt32? = nil) {
    record += 1
    file.pcapRecord(bytes, seconds: seconds ?? record, original: original)
  }

  /// From the dialler: `offset` is how far from its first byte.
  mutating func out(_ data: [UInt8], at offset: Int, flags: UInt8 = 0, seconds: UInt32? = nil) {
    raw(
      NetworkBytes.ipv4(
        NetworkBytes.tcp(
          data, sequence: Self.first &+ UInt32(truncatingIfNeeded: offset),
          acknowledgment: Self.other, flags: flags)),
      seconds: seconds)
  }

  mutating func back(
    _ data: [UInt8] = [], at offset: Int = 0, acknowledging count: Int = 0, flags: UInt8 = 0
  ) {
    raw(
      NetworkBytes.ipv4(
        NetworkBytes.tcp(
          data, sequence: Self.other &+ UInt32(offset),
          acknowledgment: Self.first &+ UInt32(count), flags: flags, from: 7_000, to: 41_000),
        from: NetworkBytes.ben, to: NetworkBytes.ada))
  }

  mutating func handshake(first: UInt32 = first) {
    raw(NetworkBytes.ipv4(NetworkBytes.tcp(sequence: first &- 1, flags: 2)))
    raw(
      NetworkBytes.ipv4(
        NetworkBytes.tcp(
          sequence: Self.other &- 1, acknowledgment: first, flags: 2, from: 7_000, to: 41_000),
        from: NetworkBytes.ben, to: NetworkBytes.ada))
  }
}

extension Reading {
  var ids: [UInt8] { seen.packets.map { $0.packet.header.id.bytes[0] } }
  var losses: [Loss] { seen.losses.map(\.loss) }
}
