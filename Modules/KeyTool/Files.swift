internal import CommandLine
internal import Glibc

/// A file or pipe that somebody names on the command line, to be read.
enum InputFile {
  static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw Failure("cannot read \(quoted(path)): \(systemMessage(errno))")
    }
    defer { close(descriptor) }
    return try read(descriptor, named: quoted(path), limit: limit)
  }

  static func read(
    _ descriptor: Int32, named name: String, limit: Int
  ) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if got == 0 { break }
      if got < 0 {
        if errno == EINTR { continue }
        throw Failure("cannot read \(name): \(systemMessage(errno))")
      }
      count += got
    }
    guard count <= limit else {
      throw Failure("\(name) is no contact card: it is over \(limit) bytes")
    }
    return Array(bytes[..<count])
  }
}

/// A file that is made by a command, and never takes the place of another.
enum NewFile {
  static func write(_ text: String, to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o644)
    guard descriptor >= 0 else {
      guard errno == EEXIST else {
        throw Failure("cannot make \(quoted(path)): \(systemMessage(errno))")
      }
      throw Failure("\(quoted(path)) exists already", hints: "name a file that does not")
    }
    defer { close(descriptor) }
    do throws(WriteError) {
      try TextSink.descriptor(descriptor).write(text)
    } catch {
      unlink(path)
      let code: Int32 = if case .failed(let code) = error { code } else { EPIPE }
      throw Failure("cannot write \(quoted(path)): \(systemMessage(code))")
    }
  }
}
