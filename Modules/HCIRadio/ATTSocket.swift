internal import CBluetooth
internal import Glibc

/// The system calls of ATT's channel.
enum ATTSocket {
  enum Result: Hashable, Sendable {
    case done
    /// The kernel holds as much as it may for now.
    case full
    case failed(CInt)
  }

  /// Bytes that the kernel may hold of one connection, its own bookkeeping included: ten chunks.
  ///
  /// What is over waits where voice can still be put first.
  static let sendBuffer: CInt = 8 * 1_024
  /// One message, however long the other side makes it.
  static let largestMessage = 1_024

  /// Makes a socket that is bound to a controller's ATT channel.
  static func make(from own: UInt64) -> (descriptor: CInt, error: CInt) {
    let descriptor = airlink_att_socket(own)
    guard descriptor >= 0 else { return (-1, errno) }
    return (descriptor, 0)
  }

  static func limitBuffer(of descriptor: CInt) {
    var size = sendBuffer
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Why connecting failed; 0 when it did not.
  static func connectError(_ descriptor: CInt) -> CInt {
    var error: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return errno }
    return error
  }

  static func send(_ message: [UInt8], to descriptor: CInt) -> Result {
    let count = Glibc.send(descriptor, message, message.count, CInt(MSG_NOSIGNAL))
    if count >= 0 { return .done }
    switch errno {
    case EAGAIN, EINTR, ENOBUFS, ENOMEM: return .full
    default: return .failed(errno)
    }
  }

  /// The next message; nil with error 0 when there is none, or with what ended the connection.
  static func receive(_ descriptor: CInt) -> (message: [UInt8]?, error: CInt) {
    var count = -1
    let message = [UInt8](unsafeUninitializedCapacity: largestMessage) { buffer, used in
      count = recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
      used = max(count, 0)
    }
    if count > 0 { return (message, 0) }
    if count == 0 { return (nil, ECONNRESET) }
    return (nil, errno == EAGAIN || errno == EINTR ? 0 : errno)
  }

  /// Why a connection is over, in words for people.
  static func text(_ error: CInt) -> String {
    switch error {
    case ECONNRESET, EPIPE, ENOTCONN: "closed by the other end"
    case ETIMEDOUT: "out of range, or switched off"
    case EHOSTDOWN, EHOSTUNREACH: "nobody answers there"
    case ENETDOWN, ENODEV: "the controller is gone or off"
    case ECONNABORTED: "closed by this controller"
    default: String(cString: strerror(error))
    }
  }
}
