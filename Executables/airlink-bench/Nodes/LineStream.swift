internal import CommandLine
internal import Glibc

/// Lines as they come out of a pipe.
///
/// Cheap: while nodes are measured, what this program does takes time from them.
final class LineStream {
  /// A line is far shorter, and a pipe holds less.
  private static let capacity = 1 << 20

  let descriptor: Int32
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
  /// What was taken and not yet given on.
  private var start = 0
  private var end = 0

  /// Takes over the descriptor.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    close(descriptor)
    memory.deallocate()
  }

  /// Waits for bytes and takes what there is; false when none come in that time.
  @discardableResult
  func fill(within patience: Duration) throws -> Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, Int32(clamping: Int(patience / .milliseconds(1)))) > 0 else {
      return false
    }
    if start > 0 {
      memmove(memory, memory + start, end - start)
      (start, end) = (0, end - start)
    }
    let count = read(descriptor, memory + end, Self.capacity - end)
    guard count > 0 else { throw Failure("airlink-node has ended") }
    end += count
    return true
  }

  /// The next whole line of what was taken, without its newline.
  func next() -> [UInt8]? {
    nextLine().map { [UInt8](UnsafeRawBufferPointer(start: $0.text, count: $0.length)) }
  }

  /// Counts the whole lines taken so far that have `text` in them, and lets all of them go.
  func count(_ text: String) -> Int {
    var found = 0
    while let line = nextLine() {
      if strstr(line.text, text) != nil { found += 1 }
    }
    return found
  }

  /// Good until the next filling; a zero stands where its newline was.
  private func nextLine() -> (text: UnsafePointer<CChar>, length: Int)? {
    let line = memory + start
    guard let newline = memchr(line, 10, end - start) else { return nil }
    newline.storeBytes(of: 0, as: UInt8.self)
    start += newline - line + 1
    return (UnsafePointer(line.assumingMemoryBound(to: CChar.self)), newline - line)
  }
}
