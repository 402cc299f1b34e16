internal import Wire

/// The blocks of a pcapng file (draft-ietf-opsawg-pcapng) that a node's capture is made of, big
/// end first as all of AirLink's integers.
enum PcapngBlocks {
  /// LINKTYPE_USER0: a record is one packet of ours (PROTOCOL, section 9).
  static let linkType: UInt16 = 147
  /// Longer names of links are cut.
  static let maximumNameLength = 256

  static let sectionHeaderType: UInt32 = 0x0A0D_0D0A

  static func sectionHeader(application: String) -> [UInt8] {
    block(sectionHeaderType) { body in
      body.append(bigEndian: 0x1A2B_3C4D as UInt32)
      body.append(bigEndian: 1 as UInt16)
      body.append(bigEndian: 0 as UInt16)
      // Of a length that is not known yet.
      body.append(bigEndian: -1 as Int64)
      option(4, Array(application.utf8.prefix(maximumNameLength)), to: &body)
      endOfOptions(&body)
    }
  }

  static func interface(name: String) -> [UInt8] {
    block(1) { body in
      body.append(bigEndian: linkType)
      body.append(bigEndian: 0 as UInt16)
      body.append(bigEndian: 0 as UInt32)
      option(2, Array(name.utf8.prefix(maximumNameLength)), to: &body)
      // if_tsresol: nanoseconds.
      option(9, [9], to: &body)
      endOfOptions(&body)
    }
  }

  /// One packet; `nanoseconds` since 1970.
  static func packet(
    _ bytes: RawSpan, interface: UInt32, nanoseconds: UInt64, isInbound: Bool
  ) -> [UInt8] {
    block(6) { body in
      body.reserveCapacity(bytes.byteCount + 40)
      body.append(bigEndian: interface)
      body.append(bigEndian: nanoseconds)
      body.append(bigEndian: UInt32(clamping: bytes.byteCount))
      body.append(bigEndian: UInt32(clamping: bytes.byteCount))
      bytes.withUnsafeBytes { body.append(contentsOf: $0) }
      pad(&body)
      // epb_flags: the direction in the lowest two bits.
      body.append(bigEndian: 2 as UInt16)
      body.append(bigEndian: 4 as UInt16)
      body.append(bigEndian: (isInbound ? 1 : 2) as UInt32)
      endOfOptions(&body)
    }
  }

  private static func block(_ type: UInt32, _ fill: (inout [UInt8]) -> Void) -> [UInt8] {
    var body: [UInt8] = []
    fill(&body)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(body.count + 12)
    let length = UInt32(clamping: body.count + 12)
    bytes.append(bigEndian: type)
    bytes.append(bigEndian: length)
    bytes += body
    bytes.append(bigEndian: length)
    return bytes
  }

  private static func option(_ code: UInt16, _ value: [UInt8], to body: inout [UInt8]) {
    body.append(bigEndian: code)
    body.append(bigEndian: UInt16(clamping: value.count))
    body += value
    pad(&body)
  }

  private static func endOfOptions(_ body: inout [UInt8]) { body.append(bigEndian: 0 as UInt32) }

  private static func pad(_ body: inout [UInt8]) {
    while !body.count.isMultiple(of: 4) { body.append(0) }
  }
}
