internal import CLinux
internal import EventLoop
internal import Glibc

/// Tells when the time of day is set and when the system wakes from suspend, without polling.
///
/// A timer that never falls due is cancelled by the kernel in both cases (timerfd_create(2),
/// `TFD_TIMER_CANCEL_ON_SET`).
@MainActor
final class ClockWatch {
  private var watch: EventLoop.Watch?
  private let descriptor: Int32
  private var suspended = NodeClock.suspended
  private let onJump: () -> Void
  private let onResume: () -> Void

  private static let noticeableSuspend: Duration = .seconds(1)

  /// Nil where the kernel has no such timer: then nothing is told.
  init?(onJump: @escaping () -> Void, onResume: @escaping () -> Void) {
    let descriptor = timerfd_create(
      CLOCK_REALTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    self.onJump = onJump
    self.onResume = onResume
    arm()
    watch = EventLoop.main.watch(descriptor, for: .read) { [weak self] _ in self?.fired() }
  }

  func stop() {
    guard let watch else { return }
    EventLoop.main.unwatch(watch)
    self.watch = nil
    close(descriptor)
  }

  private func arm() {
    var never = itimerspec()
    never.it_value.tv_sec = .max
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    timerfd_settime(descriptor, flags, &never, nil)
  }

  private func fired() {
    var ticks: UInt64 = 0
    _ = read(descriptor, &ticks, 8)
    arm()
    let suspendedNow = NodeClock.suspended
    let hasSlept = suspendedNow - suspended > Self.noticeableSuspend
    suspended = suspendedNow
    if hasSlept { onResume() } else { onJump() }
  }
}
