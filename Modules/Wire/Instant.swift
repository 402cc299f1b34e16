/// A point on the monotonic clock, as time since the run began.
///
/// Our own, so that tests and the simulator write `.zero + .seconds(3)`; the shell makes it from
/// the real clock at the edge. Sums saturate: no input can overflow it.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = Instant(nanoseconds: 0)
  /// Later than every other; the deadline of what never falls due.
  public static let distantFuture = Instant(nanoseconds: .max)

  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  public static func + (instant: Instant, duration: Duration) -> Instant {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return Instant(nanoseconds: overflow ? (duration > .zero ? .max : .min) : sum)
  }

  public static func - (instant: Instant, duration: Duration) -> Instant {
    let (sum, overflow) = instant.nanoseconds.subtractingReportingOverflow(
      duration.wholeNanoseconds)
    return Instant(nanoseconds: overflow ? (duration > .zero ? .min : .max) : sum)
  }

  public static func - (a: Instant, b: Instant) -> Duration {
    let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
    return .nanoseconds(overflow ? (a > b ? Int64.max : Int64.min) : difference)
  }
}

extension Duration {
  /// The whole nanoseconds in this duration, held within what an `Int64` takes (292 years).
  public var wholeNanoseconds: Int64 { whole(1_000_000_000) }

  /// The whole milliseconds in this duration, held within what an `Int64` takes.
  public var wholeMilliseconds: Int64 { whole(1_000) }

  /// The whole parts of a second, of which there are `parts`, cut towards zero.
  private func whole(_ parts: Int64) -> Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: parts)
    let (sum, carried) = scaled.addingReportingOverflow(
      attoseconds / (1_000_000_000_000_000_000 / parts))
    return overflow || carried ? (seconds < 0 ? .min : .max) : sum
  }
}
