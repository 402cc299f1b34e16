/// Cuts a stream of bytes into lines without ever holding more than one.
///
/// A line ends at LF; a CR before it is not part of it. The last line may lack its LF.
public struct LineSplitter: Sendable {
  /// Bytes of a line without its end; a longer one is skipped (64 KiB, the JSON contract's bound).
  public static let maximumLength = 65_536

  /// What stood between two line ends.
  public enum Line: Hashable, Sendable {
    case text(String)
    case notUTF8
    /// Over 64 KiB: told once, when the bound is passed, and skipped to its end.
    case tooLong
  }

  private var held: [UInt8] = []
  private var isSkipping = false

  public init() {}

  /// Takes bytes in whatever slices they come, and tells each line that they end.
  public mutating func append(_ bytes: some Collection<UInt8>, _ take: (Line) -> Void) {
    // Not generic from here on: each byte is looked at.
    let isDone: Void? = bytes.withContiguousStorageIfAvailable { unsafe append($0, take) }
    if isDone == nil { unsafe Array(bytes).withUnsafeBufferPointer { unsafe append($0, take) } }
  }

  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (Line) -> Void) {
    var rest = unsafe bytes[...]
    while let end = unsafe rest.firstIndex(of: UInt8(ascii: "\n")) {
      unsafe hold(rest[..<end], take)
      if isSkipping { isSkipping = false } else { take(finishedLine()) }
      unsafe rest = rest[(end + 1)...]
    }
    unsafe hold(rest, take)
  }

  /// The line that the stream's end cut off, if it had begun.
  public mutating func finish() -> Line? {
    if isSkipping || held.isEmpty {
      isSkipping = false
      return nil
    }
    return finishedLine()
  }

  private mutating func hold(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ take: (Line) -> Void
  ) {
    if isSkipping { return }
    // One byte over the bound is held: it may be the CR that is not part of the line.
    guard unsafe held.count + bytes.count <= Self.maximumLength + 1 else {
      isSkipping = true
      held = []
      take(.tooLong)
      return
    }
    unsafe held.append(contentsOf: bytes)
  }

  private mutating func finishedLine() -> Line {
    if held.last == UInt8(ascii: "\r") { held.removeLast() }
    defer { held.removeAll(keepingCapacity: held.count <= 4_096) }
    if held.count > Self.maximumLength { return .tooLong }
    return String(validating: held, as: UTF8.self).map(Line.text) ?? .notUTF8
  }
}
