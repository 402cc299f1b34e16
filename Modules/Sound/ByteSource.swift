internal import Glibc

/// A file or pipe that is read from its beginning, through a buffer of fixed size.
final class ByteSource {
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
  private var start = 0
  private var end = 0

  init(path: String) throws(SoundError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw SoundError(systemWords(errno)) }
  }

  deinit { close(descriptor) }

  /// Gives `body` up to `count` bytes, fewer only at the end of the file.
  ///
  /// At most what fits the buffer, 64 KiB.
  func take<Result>(
    _ count: Int, _ body: (RawSpan) throws(SoundError) -> Result
  ) throws(SoundError) -> Result {
    let wanted = min(count, buffer.count)
    if end - start < wanted {
      for place in start..<end { buffer[place - start] = buffer[place] }
      end -= start
      start = 0
      try fill(wanted)
    }
    let given = start..<min(start + wanted, end)
    start = given.upperBound
    // Not withUnsafeBytes, which does not keep the type of what is thrown.
    return try buffer.withUnsafeBufferPointer { (all) throws(SoundError) in
      try body(all.span.extracting(given).bytes)
    }
  }

  private func fill(_ wanted: Int) throws(SoundError) {
    while end < wanted {
      let got = buffer.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + end }, $0.count - end)
      }
      if got == 0 { return }
      if got < 0 {
        if errno == EINTR { continue }
        throw SoundError(systemWords(errno))
      }
      end += got
    }
  }
}

/// What the system calls an error number.
func systemWords(_ code: Int32) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
    guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
      return "error \(code)"
    }
    return String(cString: base)
  }
}
