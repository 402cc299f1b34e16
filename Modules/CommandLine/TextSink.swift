internal import Glibc
internal import Synchronization

/// Why writing failed.
public enum WriteError: Error, Equatable, Sendable {
  /// Nobody reads any more, as after `| head`: no error, end quietly.
  case closed
  case failed(errno: Int32)
}

/// Where text goes: a descriptor of this process, or memory in tests.
public struct TextSink: Sendable {
  public let isTerminal: Bool
  private let put: @Sendable ([UInt8]) throws(WriteError) -> Void

  public init(
    isTerminal: Bool = false, put: @escaping @Sendable ([UInt8]) throws(WriteError) -> Void
  ) {
    self.isTerminal = isTerminal
    self.put = put
  }

  /// Writes all of it, exactly as given.
  public func write(_ text: String) throws(WriteError) { try put(Array(text.utf8)) }

  public func write(_ bytes: [UInt8]) throws(WriteError) { try put(bytes) }

  /// Writes to a descriptor that somebody else closes, blocking until all is written.
  public static func descriptor(_ descriptor: Int32) -> TextSink {
    TextSink(isTerminal: isatty(descriptor) == 1) { (bytes: [UInt8]) throws(WriteError) in
      try writeAll(bytes, to: descriptor)
    }
  }

  public static var standardOutput: TextSink { .descriptor(STDOUT_FILENO) }
  public static var standardError: TextSink { .descriptor(STDERR_FILENO) }

  /// Throws everything away.
  public static var null: TextSink {
    TextSink { (_: [UInt8]) throws(WriteError) in }
  }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(WriteError) {
  var done = 0
  while done < bytes.count {
    let count = bytes.withUnsafeBytes {
      write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done)
    }
    if count > 0 {
      done += count
      continue
    }
    switch errno {
    case EINTR: continue
    case EAGAIN:
      // A terminal that another program made non-blocking: wait until it takes more.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&waiting, 1, -1)
    case EPIPE: throw .closed
    default: throw .failed(errno: errno)
    }
  }
}

/// Keeps what was written, for tests of whole tools.
public final class RecordedText: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  public init() {}

  public func sink(isTerminal: Bool = false) -> TextSink {
    TextSink(isTerminal: isTerminal) { (more: [UInt8]) throws(WriteError) in
      self.bytes.withLock { $0 += more }
    }
  }

  public var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
  public var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
  }
}
