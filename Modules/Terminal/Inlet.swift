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
  private let source: any DispatchSourceRead
  private var buffer = [UInt8](repeating: 0, count: Inlet.chunkSize)
  private var isPaused = false
  private var isOver = false

  /// Bytes read at once; what comes beyond waits in the system, and in who writes it.
  private static let chunkSize = 16_384

  /// Begins to read at once; both callbacks come on the main queue.
  init(
    descriptor: Int32, onBytes: @escaping @MainActor (ArraySlice<UInt8>) -> Void,
    onEnd: @escaping @MainActor (End) -> Void
  ) {
    self.descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.readOnce(onBytes, onEnd) }
    }
    source.resume()
  }

  /// Whether reading rests; what arrives waits where it is.
  func setPaused(_ paused: Bool) {
    if paused == isPaused || isOver { return }
    isPaused = paused
    if paused { source.suspend() } else { source.resume() }
  }

  /// Reads no more.
  func close() {
    if isOver { return }
    // A source must not be suspended when it goes.
    setPaused(false)
    isOver = true
    source.cancel()
  }

  private func readOnce(
    _ onBytes: (ArraySlice<UInt8>) -> Void, _ onEnd: (End) -> Void
  ) {
    if isOver { return }
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      onBytes(buffer[..<count])
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
