internal import Glibc

/// An IPv4 or IPv6 address; a link-local IPv6 address with the interface it is of.
///
/// IPv4 addresses in IPv6 clothing (`::ffff:10.0.0.1`) are IPv4 addresses here, so that one host is
/// never taken for two.
public enum IPAddress: Hashable, Sendable, BitwiseCopyable {
  /// The four bytes, most significant first.
  case v4(UInt32)
  /// The 16 bytes as two words, most significant first; `scope` is the interface's index for
  /// link-local addresses and 0 for all others.
  case v6(UInt64, UInt64, scope: UInt32)

  /// Reads the 16 bytes of an IPv6 address, in network order.
  ///
  /// The scope is the interface's index; it is kept for link-local addresses only.
  public init?(v6 bytes: some Collection<UInt8>, scope: UInt32 = 0) {
    guard bytes.count == 16 else { return nil }
    let high = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let low = bytes.dropFirst(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    if high == 0, low >> 32 == 0xFFFF {
      self = .v4(UInt32(truncatingIfNeeded: low))
    } else {
      self = .v6(high, low, scope: high >> 54 == 0x3FA ? scope : 0)
    }
  }

  /// Reads a numeric address without scope: `10.0.0.1`, `fe80::1`.
  public init?(parsing text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self = .v4(UInt32(bigEndian: v4.s_addr))
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      guard let address = withUnsafeBytes(of: v6, { IPAddress(v6: $0) }) else { return nil }
      self = address
    } else {
      return nil
    }
  }

  /// The same address, of the interface with this index where the address is IPv6 link-local.
  public func scoped(to interface: UInt32) -> IPAddress {
    guard case .v6(let high, let low, _) = self, isLinkLocal else { return self }
    return .v6(high, low, scope: interface)
  }

  public var isV6: Bool {
    switch self {
    case .v4: false
    case .v6: true
    }
  }

  /// The interface's index of a link-local IPv6 address; 0 for all others.
  public var scope: UInt32 {
    switch self {
    case .v4: 0
    case .v6(_, _, let scope): scope
    }
  }

  /// 127.0.0.0/8 and ::1.
  public var isLoopback: Bool {
    switch self {
    case .v4(let value): value >> 24 == 127
    case .v6(let high, let low, _): high == 0 && low == 1
    }
  }

  /// 169.254.0.0/16 and fe80::/10.
  public var isLinkLocal: Bool {
    switch self {
    case .v4(let value): value >> 16 == 0xA9FE
    case .v6(let high, _, _): high >> 54 == 0x3FA
    }
  }

  /// Addresses that no road through the internet leads to: RFC 1918, 100.64.0.0/10 (RFC 6598),
  /// unique local (RFC 4193), link-local, loopback.
  public var isPrivate: Bool {
    if isLoopback || isLinkLocal { return true }
    return switch self {
    case .v4(let value):
      value >> 24 == 10 || value >> 20 == 0xAC1 || value >> 16 == 0xC0A8 || value >> 22 == 0x191
    case .v6(let high, _, _): high >> 57 == 0x7E
    }
  }

  /// Whether a connection to it can be meant: not multicast, not broadcast, not unspecified.
  public var isUnicast: Bool {
    switch self {
    case .v4(let value): value >> 28 < 0xE && value >> 24 != 0
    case .v6(let high, let low, _): high >> 56 != 0xFF && (high != 0 || low > 0)
    }
  }

  /// Whether the first `length` bits are those of `other`, and the interface where both have one.
  public func isInPrefix(of other: IPAddress, length: Int) -> Bool {
    switch (self, other) {
    case (.v4(let a), .v4(let b)):
      return (0...32).contains(length) && (length == 0 || (a ^ b) >> (32 - length) == 0)
    case (.v6(let a, let b, let scope), .v6(let c, let d, let otherScope)):
      guard (0...128).contains(length), scope == otherScope else { return false }
      if length <= 64 { return length == 0 || (a ^ c) >> (64 - length) == 0 }
      return a == c && (b ^ d) >> (128 - length) == 0
    case (.v4, .v6), (.v6, .v4):
      return false
    }
  }

  /// The bytes in network order, 4 or 16.
  public var bytes: [UInt8] {
    switch self {
    case .v4(let value): withUnsafeBytes(of: value.bigEndian) { Array($0) }
    case .v6(let high, let low, _):
      withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address as people write it, a scope as the interface's number: `fe80::1%2`.
  public var description: String {
    scope == 0 ? withoutScope : "\(withoutScope)%\(scope)"
  }

  /// The address as people write it, without its interface.
  public var withoutScope: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = isV6 ? AF_INET6 : AF_INET
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// An address and a port: one end of a connection.
public struct Endpoint: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let address: IPAddress
  public let port: UInt16

  public init(_ address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// `10.0.0.1:4000`, `[fe80::1%2]:4000`.
  public var description: String {
    address.isV6 ? "[\(address)]:\(port)" : "\(address):\(port)"
  }
}
