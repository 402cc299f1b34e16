internal import Glibc

/// A passphrase: in one locked page of its own that no core dump holds, wiped when let go.
public struct Passphrase: ~Copyable, Sendable {
  /// Longer than anyone types; a file of another kind is noticed.
  public static let maximumBytes = 1024
  /// The page; a terminal's longest line (4,095 bytes) and a terminator fit.
  static let pageBytes = 4096

  // Written only by `fill`, which mutates: whoever calls it is the only owner, for the value cannot
  // be copied. From then on the page is only read, until the last owner wipes it.
  nonisolated(unsafe) private let page: UnsafeMutableRawPointer
  public private(set) var count = 0

  /// An empty page to read into.
  ///
  /// - Throws: `Failure` when the system gives no memory.
  init() throws(Failure) {
    let page = mmap(
      nil, Self.pageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let page, page != MAP_FAILED else {
      throw Failure("no memory for a passphrase: \(systemMessage(errno))")
    }
    // Both are precautions: a system that allows neither still keeps the passphrase.
    _ = mlock(page, Self.pageBytes)
    _ = madvise(page, Self.pageBytes, MADV_DONTDUMP)
    self.page = page
  }

  deinit {
    explicit_bzero(page, Self.pageBytes)
    munmap(page, Self.pageBytes)
  }

  /// The bytes, for as long as `body` runs; a copy is the caller's to wipe.
  public func withBytes<Result: ~Copyable, Problem: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try body(UnsafeRawBufferPointer(start: page, count: count))
  }

  /// Whether both are the same, taking as long whether they are or not.
  public func matches(_ other: borrowing Passphrase) -> Bool {
    guard count == other.count else { return false }
    return withBytes { mine in
      other.withBytes { theirs in
        zip(mine, theirs).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
      }
    }
  }

  /// Lets `body` fill the page and say how many bytes it put there.
  mutating func fill<Problem: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Problem) -> Int
  ) throws(Problem) {
    count = try body(UnsafeMutableRawBufferPointer(start: page, count: Self.pageBytes))
  }

  /// Refuses what can be no passphrase; `source` is named in the message.
  func checked(_ source: String) throws(Failure) {
    if count == 0 { throw Failure("\(source) is empty") }
    if count > Self.maximumBytes {
      throw Failure("\(source) is over \(Self.maximumBytes) bytes")
    }
  }
}
