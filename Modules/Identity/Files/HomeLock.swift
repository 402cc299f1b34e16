internal import Glibc

/// A lock that one process at a time holds, let go when this is, or when the process ends.
///
/// `flock` on a file that stays: a lock file that is removed lets two processes lock two files of
/// one name.
public struct HomeLock: ~Copyable, Sendable {
  /// How long a tool waits for another one that is about to finish.
  public static let patience: Duration = .seconds(10)

  private static let pause: UInt32 = 10_000  // microseconds between two tries

  private let file: File

  /// Locks the home for one running node; at once, or not at all.
  public static func node(_ home: Home) throws(FileError) -> HomeLock {
    try HomeLock(home, .nodeLock, patience: .zero)
  }

  /// Takes the lock `name`, waiting for at most `patience`; after that `FileError.busy`.
  init(_ home: Home, _ name: Home.Name, patience: Duration) throws(FileError) {
    let path = home.path(of: name)
    let file = try home.open(name, flags: O_RDWR | O_CREAT)
    try file.checkPrivate()
    let start = ContinuousClock.now
    while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw .last("flock", path) }
      guard ContinuousClock.now - start < patience else {
        throw .busy(path: path, process: Self.holder(file))
      }
      usleep(Self.pause)
    }
    // Only so that whoever waits can say for whom: a full disk does not matter here.
    try? file.truncate(to: 0)
    try? file.write(Array("\(getpid())\n".utf8))
    self.file = file
  }

  /// Lets go of the lock; what stands before this call happens under it.
  public consuming func release() {}

  private static func holder(_ file: borrowing File) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 12)
    guard let count = try? file.read(into: &bytes, at: 0) else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
  }
}
