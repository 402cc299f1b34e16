internal import Glibc
public import Mesh
public import Wire

/// The two clocks of a running node.
///
/// Time since the start is `CLOCK_BOOTTIME`: an hour of suspend is an hour, for the outbox as for
/// the duplicate table.
public struct NodeClock: Sendable {
  private let start: Int64

  public init() { start = Self.nanoseconds(CLOCK_BOOTTIME) }

  public var now: Instant { Instant(nanoseconds: Self.nanoseconds(CLOCK_BOOTTIME) - start) }

  public var moment: Moment { Moment(instant: now, wallClock: Self.wallClock) }

  /// The time of day; a clock set before 1970 counts as 1970.
  public static var wallClock: Timestamp {
    Timestamp(milliseconds: UInt64(max(0, nanoseconds(CLOCK_REALTIME) / 1_000_000)))
  }

  /// How long the system was suspended since it booted.
  static var suspended: Duration {
    .nanoseconds(nanoseconds(CLOCK_BOOTTIME) - nanoseconds(CLOCK_MONOTONIC))
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return time.tv_sec < 0 ? .min : .max }
    let (sum, carried) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
    return carried ? .max : sum
  }
}
