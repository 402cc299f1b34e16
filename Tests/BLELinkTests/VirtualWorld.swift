import Wire

@testable import BLELink

/// Time that tests move on, and what is due at it.
@MainActor
final class VirtualWorld {
  private(set) var now = Instant.zero
  var random: SplitMix64
  private var events: [Event] = []
  /// Things done within one moment; a loop without end is a fault.
  private static let longestMoment = 100_000

  private final class Event {
    let at: Instant
    let work: @MainActor () -> Void
    init(_ at: Instant, _ work: @escaping @MainActor () -> Void) {
      self.at = at
      self.work = work
    }
  }

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  func after(_ pause: Duration, _ work: @escaping @MainActor () -> Void) {
    let event = Event(now + pause, work)
    // From the back: most is due later than what waits.
    var place = events.count
    while place > 0, events[place - 1].at > event.at { place -= 1 }
    events.insert(event, at: place)
  }

  /// Lets time pass, and does what is due.
  func pass(_ duration: Duration) {
    let end = now + duration
    var moment = now
    var count = 0
    while let first = events.first, first.at <= end {
      events.removeFirst()
      now = max(now, first.at)
      count = now == moment ? count + 1 : 0
      moment = now
      precondition(count < Self.longestMoment, "something wants to be done for ever")
      first.work()
    }
    now = end
  }

  /// Lets time pass until something holds, at most this long.
  ///
  /// - Returns: how long it took; nil if it never held.
  func pass(atMost duration: Duration, until isTrue: @MainActor () -> Bool) -> Duration? {
    let start = now
    while !isTrue() {
      guard now - start < duration else { return nil }
      pass(.milliseconds(10))
    }
    return now - start
  }

  func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &random))
  }
}

/// One node's view of that time.
@MainActor
final class VirtualClock: LinkClock {
  private let world: VirtualWorld
  private var alarm = 0

  init(_ world: VirtualWorld) { self.world = world }

  var now: Instant { world.now }

  func setAlarm(at moment: Instant?, _ work: @escaping @MainActor () -> Void) {
    alarm += 1
    guard let moment else { return }
    let mine = alarm
    world.after(max(moment - now, .zero)) { [weak self] in
      if self?.alarm == mine { work() }
    }
  }

  func whenQuiet(_ work: @escaping @MainActor () -> Void) { world.after(.zero, work) }
}
