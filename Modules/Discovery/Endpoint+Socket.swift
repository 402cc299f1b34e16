public import Glibc

/// Endpoints as the system's calls take and give them.
extension Endpoint {
  /// Calls `body` with the socket address of this endpoint.
  ///
  /// `asV6`: an IPv4 address in IPv6's clothing (RFC 4291, section 2.5.5.2), for a socket of both
  /// families.
  public func withSocketAddress<Result>(
    asV6: Bool = false, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    switch address {
    case .v4(let value) where !asV6:
      var v4 = sockaddr_in()
      v4.sin_family = sa_family_t(AF_INET)
      v4.sin_port = port.bigEndian
      v4.sin_addr.s_addr = value.bigEndian
      return withUnsafePointer(to: &v4) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    case .v4, .v6:
      var v6 = sockaddr_in6()
      v6.sin6_family = sa_family_t(AF_INET6)
      v6.sin6_port = port.bigEndian
      v6.sin6_scope_id = address.scope
      let bytes =
        address.isV6
        ? address.bytes : [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address.bytes
      withUnsafeMutableBytes(of: &v6.sin6_addr) { $0.copyBytes(from: bytes) }
      return withUnsafePointer(to: &v6) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
  }

  /// Reads a socket address; nil when it is of another family.
  public init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let v4 = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
      self.init(
        .v4(UInt32(bigEndian: v4.sin_addr.s_addr)), port: UInt16(bigEndian: v4.sin_port))
    case AF_INET6:
      let v6 = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
      let bytes = withUnsafeBytes(of: v6.sin6_addr) { Array($0) }
      guard let address = IPAddress(v6: bytes, scope: v6.sin6_scope_id) else { return nil }
      self.init(address, port: UInt16(bigEndian: v6.sin6_port))
    default: return nil
    }
  }

  /// What `getsockname` or `getpeername` says of a socket.
  public init?(
    _ descriptor: CInt,
    by call: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
  ) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let endpoint = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(descriptor, $0, &length) == 0 ? Endpoint($0) : nil
      }
    }
    guard let endpoint else { return nil }
    self = endpoint
  }
}
