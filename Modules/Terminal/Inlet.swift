internal import Dispatch
internal import Glibc

/// Reads a descriptor when it has something, and says when it ends.
@MainActor
final class Inlet {
  /// Why no more comes.
  enum End: Equatable {
    /// A file's or a pipe's end.
    case endOfInput
    /// The terminal hung up, or reading failed in another way.
    case failed(errno: Int32)
  }

  private let descriptor: Int32
  private let mayRead: () -> Bool
  private let onBytes: (ArraySlice<UInt8>) -> Void
  private let onEnd: (End) -> Void
  private let source: any DispatchSourceRead
  private var buffer = [UInt8](repeating: 0, count: Inlet.chunkSize)
  private var isPaused = false
  private var isOver = false
  private var isTurnDue = false

  /// Bytes read at once; what comes beyond waits in the system, and in who writes it.
  private static let chunkSize = 16_384

  /// Begins to read, with all callbacks on the main queue; `mayRead` is asked before each read.
  init(
    descriptor: Int32, mayRead: @escaping () -> Bool = { true },
    onBytes: @escaping (ArraySlice<UInt8>) -> Void,
    onEnd: @escaping (End) -> Void
  ) {
    self.descriptor = descriptor
    self.mayRead = mayRead
    self.onBytes = onBytes
    self.onEnd = onEnd
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.turn() }
    }
    source.resume()
    scheduleTurn()
  }

  /// Whether reading rests; what arrives waits where it is.
  func setPaused(_ paused: Bool) {
    if paused == isPaused || isOver { return }
    isPaused = paused
    if paused {
      source.suspend()
    } else {
      source.resume()
      scheduleTurn()
    }
  }

  /// Reads no more.
  func close() {
    if isOver { return }
    // A source must not be suspended when it goes.
    setPaused(false)
    isOver = true
    source.cancel()
  }

  /// One more turn, without the source: it falls silent after a hang-up, with bytes left to read,
  /// and never speaks for devices that cannot be waited for (epoll refuses /dev/null).
  private func scheduleTurn() {
    if isTurnDue { return }
    isTurnDue = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isTurnDue = false
        self?.turn()
      }
    }
  }

  private var isReadable: Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, 0) > 0
  }

  /// Reads one chunk, if there is one: others on the queue have their turn before the next.
  private func turn() {
    guard !isOver, !isPaused, isReadable, mayRead() else { return }
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      onBytes(buffer[..<count])
      if !isOver, isReadable { scheduleTurn() }
    } else if count == 0 {
      close()
      onEnd(.endOfInput)
    } else if errno != EINTR, errno != EAGAIN {
      let reason = errno
      close()
      onEnd(.failed(errno: reason))
    }
  }
}
