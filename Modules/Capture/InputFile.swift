internal import Glibc

/// A file, pipe or device that is read once from front to back.
final class InputFile {
  /// Larger than most records, so that few reads go to the system.
  static let bufferSize = 256 * 1_024
  /// No more than this is made room for before the bytes are there.
  static let stepSize = 64 * 1_024

  /// Given away when another reader goes on with it.
  private var stream: UnsafeMutablePointer<FILE>?
  /// How many bytes were read.
  private(set) var position: UInt64 = 0

  init(path: String) throws(CaptureError) {
    guard let stream = fopen(path, "rbe") else { throw .system(Self.words(errno)) }
    self.stream = stream
    setvbuf(stream, nil, _IOFBF, Self.bufferSize)
  }

  /// Reads a descriptor that it closes at the end.
  init(descriptor: Int32) throws(CaptureError) {
    guard let stream = fdopen(descriptor, "rb") else { throw .system(Self.words(errno)) }
    self.stream = stream
    setvbuf(stream, nil, _IOFBF, Self.bufferSize)
  }

  deinit { if let stream { fclose(stream) } }

  /// The first bytes, up to `count` of them, without reading them.
  func peek(_ count: Int) throws(CaptureError) -> [UInt8] {
    guard let stream else { return [] }
    var bytes: [UInt8] = []
    while bytes.count < count {
      let byte = getc(stream)
      guard byte != EOF else { break }
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    try check()
    // glibc moves its place in the buffer back when the very bytes come back that stood there.
    clearerr(stream)
    for byte in bytes.reversed() { ungetc(Int32(byte), stream) }
    return bytes
  }

  /// Appends the next `count` bytes to `bytes`, fewer where the file ends.
  ///
  /// - Returns: how many there were.
  func read(_ count: Int, into bytes: inout [UInt8]) throws(CaptureError) -> Int {
    guard let stream else { return 0 }
    var done = 0
    while done < count {
      let step = min(count - done, Self.stepSize)
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: step))
      let got = bytes.withUnsafeMutableBytes { buffer in
        fread(buffer.baseAddress.map { $0 + start }, 1, step, stream)
      }
      bytes.removeLast(step - got)
      done += got
      if got < step { break }
    }
    position += UInt64(done)
    try check()
    return done
  }

  /// Appends whatever is there next, at most `limit` bytes; nothing at the end.
  func readSome(_ limit: Int, into bytes: inout [UInt8]) throws(CaptureError) -> Int {
    guard let stream else { return 0 }
    let first = getc(stream)
    guard first != EOF else {
      try check()
      return 0
    }
    // The rest of what is in the buffer, without waiting for more on a pipe.
    let ready = min(limit - 1, airlinkReady(stream))
    bytes.append(UInt8(truncatingIfNeeded: first))
    position += 1
    return try 1 + read(ready, into: &bytes)
  }

  /// Gives the stream to a library that closes it.
  func give() -> UnsafeMutablePointer<FILE>? {
    defer { stream = nil }
    return stream
  }

  private func check() throws(CaptureError) {
    guard let stream, ferror(stream) != 0 else { return }
    throw .system(Self.words(errno))
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

/// How many bytes of a stream's buffer are not read yet.
private func airlinkReady(_ stream: UnsafeMutablePointer<FILE>) -> Int {
  max(0, stream.pointee._IO_read_end - stream.pointee._IO_read_ptr)
}
