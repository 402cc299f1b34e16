internal import Glibc

extension EventLoop {
  /// Something to be done later.
  public struct Timer: Hashable, Sendable { fileprivate let number: UInt64 }

  /// Does `work` once, when `pause` is over: at most some milliseconds late, never early.
  ///
  /// Time spent suspended does not count.
  @discardableResult
  public func after(_ pause: Duration, _ work: @escaping @MainActor () -> Void) -> Timer {
    let timer = timers.add(after: pause, work)
    scheduleHostedTurn(after: pause)
    return timer
  }

  /// Does not do it after all; a timer that has had its turn is nobody's.
  public func cancel(_ timer: Timer) { timers.cancel(timer) }

  /// Does what is due by now.
  func fireTimers() {
    guard !timers.isEmpty else { return }
    // What is added meanwhile is due later than this.
    let moment = TimerList.now
    while let work = timers.takeDue(by: moment) { work() }
  }
}

/// What is to be done later, the soonest first.
///
/// A node has some ten of these at any time, so a sorted list serves.
@MainActor
struct TimerList {
  private struct Entry {
    /// By `now`'s clock.
    let deadline: Int64
    let timer: EventLoop.Timer
    let work: @MainActor () -> Void
  }

  private var entries: [Entry] = []
  private var lastNumber: UInt64 = 0

  private static let longestPause = Duration.seconds(10 * 365 * 86_400)

  /// Nanoseconds of the monotonic clock.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  mutating func add(
    after pause: Duration, _ work: @escaping @MainActor () -> Void
  ) -> EventLoop.Timer {
    lastNumber += 1
    let timer = EventLoop.Timer(number: lastNumber)
    let (seconds, fraction) = min(max(pause, .zero), Self.longestPause).components
    let deadline = Self.now + seconds * 1_000_000_000 + fraction / 1_000_000_000
    let place = entries.firstIndex { $0.deadline > deadline } ?? entries.endIndex
    entries.insert(Entry(deadline: deadline, timer: timer, work: work), at: place)
    return timer
  }

  mutating func cancel(_ timer: EventLoop.Timer) { entries.removeAll { $0.timer == timer } }

  var isEmpty: Bool { entries.isEmpty }

  /// Milliseconds until the next is due, as epoll_wait(2) takes them: -1 when none is.
  var millisecondsLeft: CInt {
    guard let first = entries.first else { return -1 }
    return CInt(clamping: max(0, first.deadline - Self.now + 999_999) / 1_000_000)
  }

  /// The next that is due by `moment`, taken out of the list.
  mutating func takeDue(by moment: Int64) -> (@MainActor () -> Void)? {
    guard let first = entries.first, first.deadline <= moment else { return nil }
    return entries.removeFirst().work
  }
}
