internal import Glibc

/// A file, pipe or device that is read once from front to back.
///
/// With a buffer of its own and not the C library's: what is read is looked at where it lies, and
/// every record is saved two calls and a copy.
final class InputFile {
  /// Many records at a time, and yet within a processor's second cache.
  static let bufferSize = 256 * 1_024

  private let descriptor: Int32
  private var buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: bufferSize, alignment: 16)
  /// What was read and is not used yet lies between these.
  private var start = 0
  private var end = 0
  /// How many bytes were used.
  private(set) var position: UInt64 = 0

  convenience init(path: String) throws(CaptureError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(Self.words(errno)) }
    self.init(descriptor: descriptor)
  }

  /// Reads a descriptor that it closes at the end.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    buffer.deallocate()
    close(descriptor)
  }

  /// The next bytes, up to `count` of them, without using them; fewer where the file ends.
  ///
  /// They lie there until the next look.
  func look(_ count: Int) throws(CaptureError) -> UnsafeRawBufferPointer {
    if end - start < count { try fill(count) }
    return UnsafeRawBufferPointer(rebasing: buffer[start..<min(start + count, end)])
  }

  /// Whatever is there next, at most `limit` bytes, without waiting for more than one; nothing at
  /// the end.
  func lookAtSome(_ limit: Int) throws(CaptureError) -> UnsafeRawBufferPointer {
    if start == end { try fill(1) }
    return UnsafeRawBufferPointer(rebasing: buffer[start..<min(start + limit, end)])
  }

  /// Goes on behind so many of the bytes that were looked at.
  func use(_ count: Int) {
    let used = min(count, end - start)
    start += used
    position += UInt64(used)
  }

  /// Reads until so many bytes are there, or the file ends.
  ///
  /// Room for more than the buffer holds is made as the bytes come, and never for what a file only
  /// says it has.
  private func fill(_ count: Int) throws(CaptureError) {
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
    (start, end) = (0, end - start)
    while end < count {
      if end == buffer.count { grow(to: min(count, 2 * buffer.count)) }
      let got = read(descriptor, buffer.baseAddress.map { $0 + end }, buffer.count - end)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .system(Self.words(errno)) }
      if got == 0 { return }
      end += got
    }
  }

  private func grow(to size: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<end]))
    buffer.deallocate()
    buffer = larger
  }

  static func words(_ code: Int32) -> String {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return String?.none
      }
      return String(cString: base)
    }
    return text ?? "error \(code)"
  }
}
