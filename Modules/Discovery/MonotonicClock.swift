internal import Glibc
package import Wire

/// The clock that shells read: it never jumps, and stands still while the system is suspended.
package enum MonotonicClock {
  /// Time since the system was started.
  package static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
