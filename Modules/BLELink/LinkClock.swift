internal import EventLoop
internal import Wire

/// The time, and work that waits for it, as a link's shell needs them; tests make their own.
@MainActor
protocol LinkClock: AnyObject {
  var now: Instant { get }
  /// Does `work` at a time, or soon after; replaces what was to be done before. Nil: nothing.
  func setAlarm(at moment: Instant?, _ work: @escaping @MainActor () -> Void)
  /// Does `work` when everything else of this moment is done.
  func whenQuiet(_ work: @escaping @MainActor () -> Void)
}

/// The main event loop's.
final class EventLoopClock: LinkClock {
  private let clock = SuspendingClock()
  private var timer: EventLoop.Timer?

  /// Time since the system was started, suspension not counted.
  var now: Instant {
    Instant(nanoseconds: clock.systemEpoch.duration(to: clock.now).wholeNanoseconds)
  }

  func setAlarm(at moment: Instant?, _ work: @escaping @MainActor () -> Void) {
    if let timer { EventLoop.main.cancel(timer) }
    timer = moment.map { EventLoop.main.after($0 - now, work) }
  }

  func whenQuiet(_ work: @escaping @MainActor () -> Void) {
    EventLoop.main.whenQuiet(.send, work)
  }
}
