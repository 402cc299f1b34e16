internal import Glibc

/// A file that appears under its name only when it is whole; a pipe or device is written to as it is.
final class ReplacingFile {
  private let path: String
  private let temporary: String?
  private var descriptor: CInt

  init(path: String, suffix: String) throws(SoundError) {
    self.path = path
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw SoundError(systemWords(EISDIR)) }
      temporary = nil
      descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    } else {
      let cut = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
      let folder = cut.map { String(path[..<$0]) } ?? ""
      let name = "\(folder).airlink-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).\(suffix)"
      temporary = name
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o644)
    }
    guard descriptor >= 0 else { throw SoundError(systemWords(errno)) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if let temporary { unlink(temporary) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SoundError) {
    var start = 0
    while start < bytes.count {
      let put = Glibc.write(
        descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start)
      if put < 0 {
        if errno == EINTR { continue }
        throw SoundError(systemWords(errno))
      }
      start += put
    }
  }

  /// Gives the file its name.
  func finish() throws(SoundError) {
    let closed = close(descriptor)
    descriptor = -1
    guard closed == 0, temporary.map({ rename($0, path) == 0 }) ?? true else {
      let words = systemWords(errno)
      if let temporary { unlink(temporary) }
      throw SoundError(words)
    }
  }
}
