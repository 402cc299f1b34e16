/// Which way bytes went over a link.
///
/// In a node's own capture `outbound` is what the node sent. Where only two ends are known, as of a
/// TCP connection, it is from the end that the link's name names first to the other.
public enum Direction: String, Hashable, Sendable {
  case inbound = "in"
  case outbound = "out"
}

/// A moment of a capture: nanoseconds since 1970-01-01 UTC.
public struct CaptureTime: Hashable, Comparable, Sendable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }
}

/// What a capture says about a record beside its bytes.
public struct RecordInfo: Hashable, Sendable {
  /// Counted from 1.
  public var number: Int
  /// Nil where the capture does not say.
  public var time: CaptureTime?
  public var linkType: LinkType
  /// The interface's name or, where it has none, its number.
  public var interface: String
  public var direction: Direction?
  /// How long the record was before a snapshot length cut it.
  public var originalLength: Int
}
