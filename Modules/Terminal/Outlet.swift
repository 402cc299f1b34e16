internal import EventLoop
internal import Glibc

/// Writes to a descriptor without ever making the node wait for who reads it.
///
/// What the reader does not take waits here in order, up to a bound; past it the rest is refused,
/// and the owner decides what that means. The descriptor's own flags stay as they are: it is shared
/// with the shell that started us, so a pipe or terminal is opened a second time for this.
@MainActor
final class Outlet {
  /// What `write` did with the bytes.
  enum Outcome: Equatable {
    case taken
    /// They would go over the bound: none of them was taken.
    case refused
    /// Nobody reads any more, now or since an earlier write.
    case closed
  }

  /// Bytes that may wait.
  let limit: Int
  /// Called when less waits than before.
  var onProgress: () -> Void = {}
  /// Called once, when it is seen that nobody reads any more.
  var onClosed: () -> Void = {}

  /// What is written to: the one given, or the same opened anew.
  let descriptor: Int32
  private let ownsDescriptor: Bool
  private let isSocket: Bool
  /// A descriptor that could not be opened anew is asked before each piece whether it takes one.
  private let mustAsk: Bool
  private var bytes: [UInt8] = []
  /// How many of `bytes` are written already.
  private var done = 0
  /// Whether what waits is written once the reader makes room.
  private var isArmed = false
  private var watch: EventLoop.Watch?
  private var isClosed = false
  private var isReleased = false
  private var isPushDue = false

  /// The most that is handed to the system at once: what an empty pipe takes.
  private static let pieceSize = 65_536
  /// Bytes from which on `writeSoon` waits no longer.
  private static let atOnce = 8_192
  private static let retryPause = Duration.milliseconds(50)
  /// What a pipe that says it takes something takes for certain (POSIX's `PIPE_BUF` on Linux).
  private static let certainSize = 4_096

  /// Does not close `descriptor`, which must outlive it.
  init(descriptor: Int32, limit: Int) {
    self.limit = limit
    var status = stat()
    _ = fstat(descriptor, &status)
    let kind = status.st_mode & S_IFMT
    isSocket = kind == S_IFSOCK
    let again =
      kind == S_IFIFO || kind == S_IFCHR
      ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    self.descriptor = again >= 0 ? again : descriptor
    ownsDescriptor = again >= 0
    mustAsk = again < 0 && (kind == S_IFIFO || kind == S_IFCHR)
  }

  /// Bytes that wait.
  var waiting: Int { bytes.count - done }

  /// Writes `text` after what waits already.
  @discardableResult
  func write(_ text: String) -> Outcome {
    let outcome = add(text)
    guard outcome == .taken else { return outcome }
    let wasWaiting = isArmed
    push()
    // Nothing is watched from here on: that all is written now, nobody else would tell.
    if wasWaiting, waiting == 0, !isClosed {
      EventLoop.main.nextTurn { [weak self] in self?.onProgress() }
    }
    return isClosed ? .closed : .taken
  }

  /// Writes `text` after what waits already, together with what else comes in this moment.
  ///
  /// A system call for each line, and a reader woken by each, cost more than the lines do.
  func writeSoon(_ text: String) -> Outcome {
    let outcome = add(text)
    guard outcome == .taken else { return outcome }
    if isArmed { return .taken }
    if waiting >= Self.atOnce {
      push()
    } else if !isPushDue {
      isPushDue = true
      EventLoop.main.whenQuiet(.show) { [weak self] in
        guard let self else { return }
        self.isPushDue = false
        self.push()
        if self.waiting == 0, !self.isClosed { self.onProgress() }
      }
    }
    return isClosed ? .closed : .taken
  }

  private func add(_ text: String) -> Outcome {
    if isClosed { return .closed }
    guard waiting + text.utf8.count <= limit else { return .refused }
    bytes.append(contentsOf: text.utf8)
    return .taken
  }

  /// Waits until everything is written, for `milliseconds` at the most; false when it is not.
  func drain(milliseconds: Int32) -> Bool {
    var left = milliseconds
    while waiting > 0, !isClosed, left > 0 {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let slice = min(left, 50)
      _ = poll(&ready, 1, slice)
      if ready.revents == 0 { left -= slice }
      push()
    }
    return waiting == 0
  }

  /// Stops writing; what waits is lost.
  func close() {
    if isReleased { return }
    isReleased = true
    isClosed = true
    bytes = []
    done = 0
    disarm()
    if ownsDescriptor { _ = Glibc.close(descriptor) }
  }

  private func push() {
    while waiting > 0, !isClosed {
      let count = send()
      if count > 0 {
        done += count
      } else if count < 0, errno == EINTR {
        continue
      } else if count < 0, errno == EAGAIN {
        break
      } else {
        // EPIPE, EIO of a terminal that hung up, or anything else that no later write could mend.
        isClosed = true
        bytes = []
        done = 0
        disarm()
        onClosed()
        return
      }
    }
    if waiting == 0 {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.pieceSize)
      done = 0
      disarm()
    } else {
      if done > limit / 4 {
        bytes.removeSubrange(..<done)
        done = 0
      }
      arm()
    }
  }

  private func send() -> Int {
    var size = min(waiting, Self.pieceSize)
    if mustAsk {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&ready, 1, 0) == 0 {
        errno = EAGAIN
        return -1
      }
      size = min(size, Self.certainSize)
    }
    return bytes.withUnsafeBytes { raw in
      guard let start = raw.baseAddress else { return 0 }
      return isSocket
        ? Glibc.send(descriptor, start + done, size, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        : Glibc.write(descriptor, start + done, size)
    }
  }

  private func arm() {
    if isArmed { return }
    isArmed = true
    watch = EventLoop.main.watch(descriptor, for: .write) { [weak self] _ in self?.resume() }
    if watch == nil { tryAgainLater() }
  }

  /// For what the system has no memory to watch.
  private func tryAgainLater() {
    EventLoop.main.after(Self.retryPause) { [weak self] in
      guard let self, self.isArmed, self.watch == nil else { return }
      self.resume()
      if self.isArmed { self.tryAgainLater() }
    }
  }

  private func resume() {
    let before = waiting
    push()
    if waiting < before { onProgress() }
  }

  private func disarm() {
    if !isArmed { return }
    isArmed = false
    if let watch { EventLoop.main.unwatch(watch) }
    watch = nil
  }
}
