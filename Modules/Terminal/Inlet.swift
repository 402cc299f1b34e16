internal import EventLoop
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
  /// Nil for what cannot be waited for, as a file: that is always ready.
  private var watch: EventLoop.Watch?
  private var buffer = [UInt8](repeating: 0, count: Inlet.chunkSize)
  private var isPaused = false
  private var isOver = false
  private var isTurnDue = false

  /// Bytes read at once; what comes beyond waits in the system, and in who writes it.
  private static let chunkSize = 16_384

  /// Begins to read, with all callbacks in turns of the loop; `mayRead` is asked before each read.
  init(
    descriptor: Int32, mayRead: @escaping () -> Bool = { true },
    onBytes: @escaping (ArraySlice<UInt8>) -> Void,
    onEnd: @escaping (End) -> Void
  ) {
    self.descriptor = descriptor
    self.mayRead = mayRead
    self.onBytes = onBytes
    self.onEnd = onEnd
    watch = EventLoop.main.watch(descriptor, for: .read) { [weak self] _ in self?.turn() }
    scheduleTurn()
  }

  /// Whether reading rests; what arrives waits where it is.
  func setPaused(_ paused: Bool) {
    if paused == isPaused || isOver { return }
    isPaused = paused
    if paused {
      stopWatching()
    } else {
      watch = EventLoop.main.watch(descriptor, for: .read) { [weak self] _ in self?.turn() }
      scheduleTurn()
    }
  }

  /// Reads no more.
  func close() {
    if isOver { return }
    isOver = true
    stopWatching()
  }

  /// A hang-up is told for as long as it is watched, whether or not anybody wants to read.
  private func stopWatching() {
    if let watch { EventLoop.main.unwatch(watch) }
    watch = nil
  }

  /// One more turn for what cannot be waited for (epoll refuses files and /dev/null).
  private func scheduleTurn() {
    if watch != nil || isTurnDue { return }
    isTurnDue = true
    EventLoop.main.nextTurn { [weak self] in
      self?.isTurnDue = false
      self?.turn()
    }
  }

  /// Reads one chunk: others have their turn before the next.
  private func turn() {
    guard !isOver, !isPaused, mayRead() else { return }
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      onBytes(buffer[..<count])
      if !isOver { scheduleTurn() }
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
