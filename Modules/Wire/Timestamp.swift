/// A point on the wall clock, in milliseconds since 1970-01-01 UTC, as packets carry it.
///
/// Any 64-bit value can come from a radio, so every operation saturates.
public struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
  public let milliseconds: UInt64

  public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

  public static let zero = Timestamp(milliseconds: 0)

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  /// How far this is past `other`; negative when it is before it.
  public func since(_ other: Timestamp) -> Duration {
    if self >= other {
      return .milliseconds(Int64(clamping: milliseconds - other.milliseconds))
    }
    return .milliseconds(-Int64(clamping: other.milliseconds - milliseconds))
  }

  /// This time moved by `duration`, not below zero and not over the last value.
  public func advanced(by duration: Duration) -> Timestamp {
    let step = duration.wholeMilliseconds
    let (sum, overflow) =
      step >= 0
      ? milliseconds.addingReportingOverflow(UInt64(step))
      : milliseconds.subtractingReportingOverflow(step.magnitude)
    return Timestamp(milliseconds: overflow ? (step >= 0 ? .max : 0) : sum)
  }
}
