internal import Glibc

extension Passphrase {
  /// Reads the passphrase a file or pipe holds; one newline at its end is not part of it.
  ///
  /// - Parameters:
  ///   - path: a file, or a pipe such as a shell makes of `<(pass airlink)`.
  ///   - warn: told in words when others than the owner may read the file.
  /// - Throws: `Failure` when it cannot be read, is empty or is too long.
  /// - Returns: the passphrase, of 1 to `maximumBytes` bytes.
  public static func read(
    file path: String, warn: (String) -> Void
  ) throws(Failure) -> Passphrase {
    let name = "passphrase file \(quoted(path))"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw Failure("cannot read \(name): \(systemMessage(errno))")
    }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o077 != 0
    {
      warn("\(name) is open to others; close it with: chmod 600 FILE")
    }
    var passphrase = try Passphrase()
    try passphrase.fill { (page: UnsafeMutableRawBufferPointer) throws(Failure) -> Int in
      try fillPage(page, from: descriptor, name)
    }
    try passphrase.checked(name)
    return passphrase
  }

  /// Reads until the end or until it is plain that this is too long.
  private static func fillPage(
    _ page: UnsafeMutableRawBufferPointer, from descriptor: Int32, _ name: String
  ) throws(Failure) -> Int {
    var count = 0
    // One for the newline, one to see that there is more.
    let limit = min(maximumBytes + 2, page.count)
    while count < limit {
      let got = Glibc.read(descriptor, page.baseAddress.map { $0 + count }, limit - count)
      if got == 0 { break }
      if got < 0 {
        if errno == EINTR { continue }
        throw Failure("cannot read \(name): \(systemMessage(errno))")
      }
      count += got
    }
    if count > 0, page[count - 1] == UInt8(ascii: "\n") { count -= 1 }
    return count
  }
}
