internal import CLinux
internal import EventLoop
internal import Glibc

/// Tells when the wall clock was set, and after suspend.
///
/// Avahi keeps its appointments by the wall clock: set back by an hour, it would be silent for an
/// hour. Linux tells those who wait for a far time with `TFD_TIMER_CANCEL_ON_SET`; nothing is
/// polled (timerfd_create(2)).
@MainActor
final class ClockStep {
  private let descriptor: CInt
  private var watch: EventLoop.Watch?

  /// Begins to listen; nil when the system has no descriptor left.
  init?(_ stepped: @escaping @MainActor () -> Void) {
    let timer = timerfd_create(CLOCK_REALTIME, CInt(TFD_NONBLOCK) | CInt(TFD_CLOEXEC))
    guard timer >= 0 else { return nil }
    Self.arm(timer)
    descriptor = timer
    watch = EventLoop.main.watch(timer, for: .read) { _ in
      var expirations: UInt64 = 0
      let count = read(timer, &expirations, MemoryLayout.size(ofValue: expirations))
      let wasSet = count < 0 && errno == ECANCELED
      Self.arm(timer)
      if wasSet { stepped() }
    }
  }

  func stop() {
    guard let watch else { return }
    EventLoop.main.unwatch(watch)
    self.watch = nil
    close(descriptor)
  }

  /// Waits for a time that will not come: a century from now.
  private static func arm(_ timer: CInt) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var far = itimerspec()
    far.it_value.tv_sec = now.tv_sec + 100 * 365 * 86_400
    let flags = CInt(TFD_TIMER_ABSTIME) | CInt(TFD_TIMER_CANCEL_ON_SET)
    timerfd_settime(timer, flags, &far, nil)
  }
}
