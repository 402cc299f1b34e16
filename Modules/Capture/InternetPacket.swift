internal import Glibc

/// An IPv4 or IPv6 address.
struct InternetAddress: Hashable, Comparable, Sendable {
  /// In network order: the first eight bytes, and the others; IPv4 in the low half of `low`.
  let high: UInt64
  let low: UInt64
  let isIPv6: Bool

  static func < (a: Self, b: Self) -> Bool { (a.high, a.low) < (b.high, b.low) }

  /// As RFC 5952 writes it.
  var text: String {
    var bytes = (high.bigEndian, low.bigEndian)
    var address = UInt32(truncatingIfNeeded: low).bigEndian
    let length = Int(INET6_ADDRSTRLEN)
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { buffer in
      let done =
        isIPv6
        ? inet_ntop(AF_INET6, &bytes, buffer.baseAddress, socklen_t(length))
        : inet_ntop(AF_INET, &address, buffer.baseAddress, socklen_t(length))
      return done.map { String(cString: $0) }
    }
    return text ?? "?"
  }
}

/// One end of a TCP connection or UDP flow.
struct Endpoint: Hashable, Comparable, Sendable {
  let address: InternetAddress
  let port: UInt16

  static func < (a: Self, b: Self) -> Bool { (a.address, a.port) < (b.address, b.port) }

  var text: String {
    address.isIPv6 ? "[\(address.text)]:\(port)" : "\(address.text):\(port)"
  }
}

/// The IP packet in a record: who sends whom what.
struct InternetPacket {
  static let tcp: UInt8 = 6
  static let udp: UInt8 = 17
  /// Extension headers gone through.
  static let maximumExtensions = 16

  let source: InternetAddress
  let destination: InternetAddress
  private(set) var protocolNumber: UInt8
  /// Where the payload lies in the record, without what the link layer filled up.
  private(set) var payload: Range<Int>
  /// How long the payload was before a snapshot length cut it.
  private(set) var originalLength: Int
  /// Whether this is a part of a larger packet.
  private(set) var isFragment = false

  /// Reads the header at `offset`; nil where there is none that makes sense.
  init?(_ bytes: RawSpan, at offset: Int) {
    guard let first = bytes.load(offset, as: UInt8.self) else { return nil }
    switch first >> 4 {
    case 4: self.init(version4: bytes, at: offset)
    case 6: self.init(version6: bytes, at: offset)
    default: return nil
    }
  }

  /// RFC 791.
  private init?(version4 bytes: RawSpan, at offset: Int) {
    guard let source = bytes.load(offset + 12, as: UInt32.self),
      let destination = bytes.load(offset + 16, as: UInt32.self)
    else { return nil }
    let headerLength = Int(bytes.byte(at: offset) & 15) * 4
    let fragment = bytes.load(offset + 6, as: UInt16.self) ?? 0
    let declared = Int(bytes.load(offset + 2, as: UInt16.self) ?? 0)
    // Segmentation by the network card makes packets with no length of their own.
    let length = declared == 0 ? bytes.byteCount - offset : declared
    guard headerLength >= 20, length >= headerLength, bytes.byteCount >= offset + headerLength
    else { return nil }
    self.source = InternetAddress(high: 0, low: UInt64(source), isIPv6: false)
    self.destination = InternetAddress(high: 0, low: UInt64(destination), isIPv6: false)
    protocolNumber = bytes.byte(at: offset + 9)
    payload = offset + headerLength..<min(offset + length, bytes.byteCount)
    originalLength = length - headerLength
    // More fragments, or not the first one.
    isFragment = fragment & 0x3FFF != 0
  }

  /// RFC 8200.
  private init?(version6 bytes: RawSpan, at offset: Int) {
    let start = offset + 40
    guard bytes.byteCount >= start, let a = bytes.load(offset + 8, as: UInt64.self),
      let b = bytes.load(offset + 16, as: UInt64.self),
      let c = bytes.load(offset + 24, as: UInt64.self),
      let d = bytes.load(offset + 32, as: UInt64.self)
    else { return nil }
    source = InternetAddress(high: a, low: b, isIPv6: true)
    destination = InternetAddress(high: c, low: d, isIPv6: true)
    protocolNumber = bytes.byte(at: offset + 6)
    let declared = Int(bytes.load(offset + 4, as: UInt16.self) ?? 0)
    // A jumbogram, or segmentation by the network card, declares none.
    originalLength = declared == 0 ? bytes.byteCount - start : declared
    payload = start..<min(start + originalLength, bytes.byteCount)
    for _ in 0..<Self.maximumExtensions {
      guard let length = extensionLength(bytes) else { return }
      guard length <= payload.count else { return nil }
      protocolNumber = bytes.byte(at: payload.lowerBound)
      payload = payload.lowerBound + length..<payload.upperBound
      originalLength -= length
      if isFragment { return }
    }
    return nil
  }

  /// How long the extension header at the payload's start is; nil where none stands there.
  private mutating func extensionLength(_ bytes: RawSpan) -> Int? {
    let units = Int(bytes.load(payload.lowerBound + 1, as: UInt8.self) ?? 0)
    switch protocolNumber {
    // Hop-by-hop and destination options, routing, mobility, host identity, shim6.
    case 0, 43, 60, 135, 139, 140: return (units + 1) * 8
    case 51: return (units + 2) * 4
    case 44:
      let fragment = bytes.load(payload.lowerBound + 2, as: UInt16.self) ?? 0
      // A fragment that is all of its packet (RFC 6946) is none.
      if fragment & 0xFFF9 != 0 { isFragment = true }
      return 8
    default: return nil
    }
  }
}
