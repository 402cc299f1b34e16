internal import CommandLine
internal import Glibc

/// Ends this process.
func exitProcess(_ code: ExitCode) -> Never { exit(code.rawValue) }

/// Whether this was built for debugging.
var isUnoptimised: Bool {
  var checked = false
  assert(
    {
      checked = true
      return true
    }())
  return checked
}

/// Nanoseconds on the clock that nobody sets, or on the one named.
@inline(__always) func clockNanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
