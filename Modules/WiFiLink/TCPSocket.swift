internal import CLinux
internal import Discovery
internal import Glibc

/// The system's calls on TCP sockets, with what PROTOCOL section 8 sets on them.
///
/// Nothing here keeps a descriptor: who asks for one owns it.
enum TCPSocket {
  /// Seconds of silence before the other end is asked whether it is there.
  private static let keepaliveIdle: CInt = 5
  private static let keepaliveInterval: CInt = 5
  private static let keepaliveProbes: CInt = 2
  /// Milliseconds that what was sent may stay unanswered: keepalive does not ask meanwhile.
  private static let userTimeout: CInt = 15_000

  /// After resume or a change of the network; Wi-Fi takes a few seconds to come back itself.
  private static let probeIdle: CInt = 1
  private static let probeInterval: CInt = 3
  private static let probeCount: CInt = 3
  private static let probeUserTimeout: CInt = 10_000

  /// Bytes that the kernel takes on top of what is on its way: more would only wait out of our
  /// reach, where voice could not be shed and messages not be overtaken by it.
  private static let unsentBytes: CInt = 32 * 1_024
  private static let backlog: CInt = 128

  enum Failure: Error, Hashable {
    case again
    case exhausted(CInt)
    case failed(CInt)

    init(_ error: CInt) {
      switch error {
      case EAGAIN, EWOULDBLOCK: self = .again
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: self = .exhausted(error)
      default: self = .failed(error)
      }
    }
  }

  private static func make(_ address: IPAddress) throws(Failure) -> CInt {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.isV6 ? AF_INET6 : AF_INET, type, CInt(IPPROTO_TCP))
    guard descriptor >= 0 else { throw Failure(errno) }
    return descriptor
  }

  /// Begins to connect; the socket is writable once that is done, well or not.
  ///
  /// The interface is the index of the only one to use; 0 for any.
  static func connect(to endpoint: Endpoint, interface: UInt32) throws(Failure) -> CInt {
    let descriptor = try make(endpoint.address)
    if interface != 0 { set(descriptor, SOL_SOCKET, SO_BINDTOIFINDEX, CInt(clamping: interface)) }
    setLinkOptions(descriptor)
    let result = endpoint.withSocketAddress { Glibc.connect(descriptor, $0, $1) }
    if result != 0, errno != EINPROGRESS {
      let error = errno
      close(descriptor)
      throw Failure(error)
    }
    return descriptor
  }

  /// Why connecting failed; nil when it did not.
  static func connectError(_ descriptor: CInt) -> CInt? {
    var error: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return errno }
    return error == 0 ? nil : error
  }

  /// Listens; on all addresses, of both families, where `address` is nil.
  static func listen(at address: IPAddress?, port: UInt16) throws(Failure) -> CInt {
    guard let address else {
      do throws(Failure) {
        return try listen(at: Endpoint(.v6(0, 0, scope: 0), port: port), isDual: true)
      } catch .failed(EAFNOSUPPORT), .failed(EADDRNOTAVAIL) {
        // A machine without IPv6.
        return try listen(at: Endpoint(.v4(0), port: port), isDual: false)
      }
    }
    return try listen(at: Endpoint(address, port: port), isDual: false)
  }

  private static func listen(at endpoint: Endpoint, isDual: Bool) throws(Failure) -> CInt {
    let descriptor = try make(endpoint.address)
    set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if endpoint.address.isV6 {
      set(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, isDual ? 0 : 1)
    }
    guard endpoint.withSocketAddress({ bind(descriptor, $0, $1) }) == 0,
      Glibc.listen(descriptor, backlog) == 0
    else {
      let error = errno
      close(descriptor)
      throw Failure(error)
    }
    return descriptor
  }

  /// The next connection that waits at a listening socket.
  static func accept(_ listener: CInt) throws(Failure) -> CInt {
    let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = accept4(listener, nil, nil, flags)
    guard descriptor >= 0 else { throw Failure(errno) }
    setLinkOptions(descriptor)
    return descriptor
  }

  private static func setLinkOptions(_ descriptor: CInt) {
    set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
    set(descriptor, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentBytes)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    setProbing(descriptor, false)
  }

  /// Asks the other end soon and often, or as ordinary keepalive does.
  static func setProbing(_ descriptor: CInt, _ isProbing: Bool) {
    let tcp = CInt(IPPROTO_TCP)
    set(descriptor, tcp, TCP_KEEPIDLE, isProbing ? probeIdle : keepaliveIdle)
    set(descriptor, tcp, TCP_KEEPINTVL, isProbing ? probeInterval : keepaliveInterval)
    set(descriptor, tcp, TCP_KEEPCNT, isProbing ? probeCount : keepaliveProbes)
    set(descriptor, tcp, TCP_USER_TIMEOUT, isProbing ? probeUserTimeout : userTimeout)
  }

  private static func set(_ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: CInt) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Why a connection is over, in words for people.
  static func text(_ error: CInt) -> String {
    switch error {
    case ECONNRESET, EPIPE: "reset by the other end"
    case ETIMEDOUT: "no answer from the other end"
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN: "the network there is gone"
    default: errorText(error)
    }
  }
}
