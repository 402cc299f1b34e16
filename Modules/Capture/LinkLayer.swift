/// Where IP begins in a record of a link layer.
enum LinkLayer {
  /// Tags in tags (QinQ) that are gone through.
  static let maximumTags = 8

  private enum EtherType {
    static let ipv4: UInt16 = 0x0800
    static let ipv6: UInt16 = 0x86DD
    /// IEEE 802.1Q, 802.1ad, and what was used for tags in tags before that.
    static let tags: Set<UInt16> = [0x8100, 0x88A8, 0x9100]
  }

  /// The offset of the IP header; nil where the record carries something else or is too short.
  static func internetOffset(in bytes: RawSpan, _ type: LinkType) -> Int? {
    switch type {
    case .ethernet: behindEtherType(at: 12, next: 14, in: bytes)
    case .linuxCooked: behindEtherType(at: 14, next: 16, in: bytes)
    case .linuxCooked2: behindEtherType(at: 0, next: 20, in: bytes)
    case .internet: 0
    case .loopback: behindFamily(in: bytes)
    default: nil
    }
  }

  private static func behindEtherType(at offset: Int, next: Int, in bytes: RawSpan) -> Int? {
    var (offset, next) = (offset, next)
    for _ in 0...maximumTags {
      switch bytes.load(offset, as: UInt16.self) {
      case EtherType.ipv4?, EtherType.ipv6?: return next
      case let tag? where EtherType.tags.contains(tag):
        // The tag's own two bytes, then what the type of the rest is.
        offset = next + 2
        next += 4
      default: return nil
      }
    }
    return nil
  }

  /// The family stands in the byte order of the machine that captured.
  ///
  /// IPv6's number differs from
  /// system to system: these are Linux, the BSDs and macOS.
  private static func behindFamily(in bytes: RawSpan) -> Int? {
    guard let family = bytes.load(0, as: UInt32.self) else { return nil }
    return [2, 10, 24, 28, 30].contains(min(family, family.byteSwapped)) ? 4 : nil
  }
}
