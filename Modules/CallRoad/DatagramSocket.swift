internal import Discovery
internal import EventLoop
internal import Glibc

/// A UDP socket of every address of this machine, IPv6 and IPv4 by one port.
@MainActor
final class DatagramSocket {
  /// Datagrams taken in one turn of the loop, so that a flood of them leaves time for the rest.
  static let datagramsPerTurn = 32
  /// One byte more than a frame may have, so that a longer datagram shows.
  static let bufferLength = 1_401

  let port: UInt16
  private let descriptor: CInt
  private let isV6: Bool
  private var watch: EventLoop.Watch?
  private var buffer = [UInt8](repeating: 0, count: bufferLength)
  private let received: (RawSpan, Endpoint) -> Void

  /// Opens a socket on a port that the system chooses; nil when it has none left.
  ///
  /// `received` takes each datagram with where it came from.
  init?(received: @escaping (RawSpan, Endpoint) -> Void) {
    guard let (descriptor, isV6) = Self.open(), let port = Self.port(of: descriptor) else {
      return nil
    }
    self.descriptor = descriptor
    self.isV6 = isV6
    self.port = port
    self.received = received
    watch = EventLoop.main.watch(descriptor, for: .read) { [weak self] _ in self?.read() }
  }

  func close() {
    guard let watch else { return }
    self.watch = nil
    EventLoop.main.unwatch(watch)
    _ = Glibc.close(descriptor)
  }

  /// Sends one datagram, or none: what the system does not take at once is lost.
  func send(_ datagram: [UInt8], to endpoint: Endpoint) {
    guard watch != nil else { return }
    let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
    endpoint.withSocketAddress(asV6: isV6) { address, length in
      _ = sendto(descriptor, datagram, datagram.count, flags, address, length)
    }
  }

  private func read() {
    for _ in 0..<Self.datagramsPerTurn {
      guard watch != nil, let (count, endpoint) = receive() else { return }
      // Empty, cut off, or from an address that nothing can be sent to: nobody is troubled with it.
      guard count > 0, count < Self.bufferLength, let endpoint else { continue }
      received(buffer.span.bytes.extracting(first: count), endpoint)
    }
  }

  /// Nil when there is none; the endpoint is nil where the address is none to send to.
  private func receive() -> (count: Int, from: Endpoint?)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        while true {
          let count = recvfrom(
            descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT), address, &length)
          if count >= 0 { return (count, Endpoint(address)) }
          // What an earlier datagram of ours met with on its way is told here; it is no news.
          guard errno == EINTR || errno == ECONNREFUSED else { return nil }
        }
      }
    }
  }

  // MARK: Opening

  private static func open() -> (descriptor: CInt, isV6: Bool)? {
    let kind =
      CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
      | CInt(SOCK_CLOEXEC.rawValue)
    for isV6 in [true, false] {
      let descriptor = socket(isV6 ? AF_INET6 : AF_INET, kind, 0)
      guard descriptor >= 0 else { continue }
      var no: CInt = 0
      if isV6 {
        setsockopt(
          descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<CInt>.size))
      }
      let any = Endpoint(isV6 ? .v6(0, 0, scope: 0) : .v4(0), port: 0)
      let isBound = any.withSocketAddress(asV6: isV6) { bind(descriptor, $0, $1) == 0 }
      if isBound { return (descriptor, isV6) }
      _ = Glibc.close(descriptor)
    }
    return nil
  }

  private static func port(of descriptor: CInt) -> UInt16? {
    Endpoint(descriptor, by: getsockname)?.port
  }
}
