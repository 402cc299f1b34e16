internal import Chat
internal import Glibc
internal import Wire

extension LocalTime {
  /// The system's clock, in the time zone of `TZ` or the system.
  static func now() -> LocalTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var local = tm()
    localtime_r(&time.tv_sec, &local)
    let milliseconds = max(0, time.tv_sec * 1_000 + time.tv_nsec / 1_000_000)
    return LocalTime(
      Timestamp(milliseconds: UInt64(milliseconds)), offsetSeconds: local.tm_gmtoff)
  }
}
