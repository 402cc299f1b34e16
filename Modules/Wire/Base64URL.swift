/// Base64 with the URL alphabet and without padding (RFC 4648, section 5).
extension [UInt8] {
  private static let base64URLAlphabet = [UInt8](
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  public var base64URL: String {
    var text: [UInt8] = []
    text.reserveCapacity((count * 4 + 2) / 3)
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for byte in self {
      pending = pending << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(Self.base64URLAlphabet[Int(pending >> bits & 63)])
      }
    }
    if bits > 0 { text.append(Self.base64URLAlphabet[Int(pending << (6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads unpadded base64url; nil for any other character, an impossible length, or bits set past
  /// the last byte (two texts must not mean the same bytes).
  public init?(base64URL text: some Collection<UInt8>) {
    guard text.count % 4 != 1 else { return nil }
    self.init()
    reserveCapacity(text.count * 3 / 4)
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for character in text {
      guard let value = Self.base64URLAlphabet.firstIndex(of: character) else { return nil }
      pending = (pending << 6 | UInt32(value)) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        append(UInt8(truncatingIfNeeded: pending >> bits))
      }
    }
    guard pending & (1 << bits - 1) == 0 else { return nil }
  }
}
