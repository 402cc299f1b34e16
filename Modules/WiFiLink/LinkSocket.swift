internal import Discovery
internal import EventLoop
internal import Glibc
internal import Wire

/// One connection: its socket, the chunker of what comes in, the queue of what goes out.
@MainActor
final class LinkSocket {
  /// Bytes taken from one link before the others have their turn.
  static let bytesPerTurn = 64 * 1_024
  /// Bytes from which on what waits is sent without waiting for a quiet moment: a dozen texts.
  static let bytesAtOnce = 4_096

  let id: LinkID
  let descriptor: CInt
  let watch: EventLoop.Watch
  var chunker = StreamChunker(.reliable)
  var queue: SendQueue
  /// Whether a whole packet came.
  var isProved = false
  /// Whether those above know of it.
  var isAnnounced = false
  private(set) var isClosed = false
  /// When the kernel took bytes last, or had nothing waiting.
  var lastProgress: Instant
  /// Whether the kernel takes no more for now.
  var isBlocked = false
  /// Whether what waits goes out in the next quiet moment.
  var isFlushDue = false

  init(_ id: LinkID, _ descriptor: CInt, watch: EventLoop.Watch, limits: WiFiLimits, now: Instant) {
    self.id = id
    self.watch = watch
    self.descriptor = descriptor
    queue = SendQueue(limits: limits)
    lastProgress = now
  }

  /// Sends what waits, as far as the kernel takes it.
  ///
  /// - Returns: bytes and whole packets that went.
  /// - Throws: what the system says of a connection that is over.
  func flush(now: Instant) throws(TCPSocket.Failure) -> (bytes: Int, packets: Int) {
    var total = (bytes: 0, packets: 0)
    isBlocked = false
    while !queue.isEmpty {
      let (packets, offset) = queue.next()
      let count = Self.send(packets, from: offset, to: descriptor)
      if count < 0 {
        let failure = TCPSocket.Failure(errno)
        guard failure == .again else { throw failure }
        isBlocked = true
        return total
      }
      total.bytes += count
      total.packets += queue.wrote(count)
      lastProgress = now
    }
    lastProgress = now
    return total
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    Glibc.close(descriptor)
  }

  /// One system call for several packets.
  private static func send(_ packets: [Packet], from offset: Int, to descriptor: CInt) -> Int {
    var vectors: [iovec] = []
    vectors.reserveCapacity(packets.count)
    func gather(_ index: Int) -> Int {
      guard index < packets.count else {
        return vectors.withUnsafeMutableBufferPointer { vectors in
          var message = msghdr()
          message.msg_iov = vectors.baseAddress
          message.msg_iovlen = vectors.count
          return sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
        }
      }
      return packets[index].encoded.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(index == 0 ? offset : 0)...])
        vectors.append(
          iovec(
            iov_base: UnsafeMutableRawPointer(mutating: rest.baseAddress), iov_len: rest.count))
        return gather(index + 1)
      }
    }
    return gather(0)
  }
}

/// Memory that the kernel fills and chunkers read from, one for all links.
final class ReceiveBuffer {
  let memory: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
  }

  deinit { memory.deallocate() }
}
