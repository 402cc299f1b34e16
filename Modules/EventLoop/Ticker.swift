internal import CLinux
internal import Glibc

/// Does something again and again, each time at its own moment: being late once does not put off the
/// times after it.
///
/// For what a millisecond matters to, which is the most that `EventLoop.after` is exact to.
@MainActor
public final class Ticker {
  private var descriptor: CInt
  private var watch: EventLoop.Watch?
  private let loop: EventLoop

  /// Calls `tick` every `period` with the number of moments since the last call, mostly 1.
  ///
  /// Nil when the system has no descriptors left.
  public init?(
    every period: Duration, loop: EventLoop = .main, _ tick: @escaping @MainActor (Int) -> Void
  ) {
    self.loop = loop
    descriptor = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_NONBLOCK) | CInt(TFD_CLOEXEC))
    let (seconds, fraction) = max(period, .milliseconds(1)).components
    let pause = timespec(tv_sec: Int(seconds), tv_nsec: Int(fraction / 1_000_000_000))
    var setting = itimerspec(it_interval: pause, it_value: pause)
    let descriptor = descriptor
    guard descriptor >= 0 else { return nil }
    guard timerfd_settime(descriptor, 0, &setting, nil) == 0,
      let watch = loop.watch(
        descriptor, for: .read,
        { _ in
          var count: UInt64 = 0
          let size = MemoryLayout.size(ofValue: count)
          guard read(descriptor, &count, size) == size else { return }
          tick(Int(clamping: count))
        })
    else {
      Glibc.close(descriptor)
      return nil
    }
    self.watch = watch
  }

  /// Ends it; has to be called once.
  public func stop() {
    guard let watch else { return }
    loop.unwatch(watch)
    Glibc.close(descriptor)
    self.watch = nil
    descriptor = -1
  }
}
