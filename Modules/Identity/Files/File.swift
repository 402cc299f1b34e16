internal import CSodium
internal import Glibc

/// An open file, closed when let go.
struct File: ~Copyable {
  let descriptor: Int32
  let path: String

  /// Opens `name` in `directory`, never through a symbolic link and never as the controlling
  /// terminal; `O_NONBLOCK`, so that a named pipe put in a file's place holds nobody up.
  init(
    _ name: String, in directory: Int32, path: String, flags: Int32, mode: mode_t = 0
  ) throws(FileError) {
    let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    var descriptor: Int32
    repeat {
      descriptor = openat(directory, name, flags, mode)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      let error = FileError.last("open", path)
      if errno == EACCES, let owner = Self.stranger(owning: name, in: directory) {
        throw .wrongOwner(path: path, owner: owner)
      }
      throw error
    }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Whose the file is, when it is not ours.
  private static func stranger(owning name: String, in directory: Int32) -> UInt32? {
    var status = stat()
    guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return status.st_uid == geteuid() ? nil : status.st_uid
  }

  func status() throws(FileError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last("fstat", path) }
    return status
  }

  /// Refuses all but an ordinary file of ours that nobody else may read or write.
  func checkPrivate() throws(FileError) {
    let status = try status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile(path: path) }
    guard status.st_uid == geteuid() else {
      throw .wrongOwner(path: path, owner: status.st_uid)
    }
    let mode = UInt32(status.st_mode & 0o7777)
    guard mode & ~0o600 == 0 else { throw .tooOpen(path: path, mode: mode, allowed: 0o600) }
  }

  /// Everything from the start, when that is no more than `limit` bytes.
  ///
  /// The buffer never grows beyond what the file's size promised, so no copy of a secret is left
  /// behind in memory that was given back.
  func readAll(limit: Int) throws(FileError) -> [UInt8] {
    let size = try status().st_size
    guard size <= limit else { throw .tooLarge(path: path, limit: limit) }
    var bytes = [UInt8](repeating: 0, count: max(0, Int(size)))
    let count = try read(into: &bytes, at: 0)
    if count < bytes.count {
      // It shrank while it was being read; what was there is all there is.
      bytes.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
      throw .system(call: "read", path: path, code: EAGAIN)
    }
    return bytes
  }

  /// Fills `bytes` from `offset` on; fewer only at the end of the file.
  func read(into bytes: inout [UInt8], at offset: Int) throws(FileError) -> Int {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(
          descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done,
          off_t(offset + done))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("read", path)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all of `bytes` at the file's position.
  func write(_ bytes: [UInt8]) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("write", path)
      }
      done += count
    }
  }

  func truncate(to size: Int) throws(FileError) {
    while ftruncate(descriptor, off_t(size)) != 0 {
      guard errno == EINTR else { throw .last("ftruncate", path) }
    }
  }

  /// Waits until what was written is on the disk.
  func sync() throws(FileError) {
    while fsync(descriptor) != 0 {
      guard errno == EINTR else { throw .last("fsync", path) }
    }
  }
}
