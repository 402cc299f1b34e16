internal import CLinux
internal import Glibc

/// Waits for descriptors and moments on the main thread and does, turn by turn, what they bring.
///
/// Dispatch would do the same with a thread of its own that waits, wakes a second one for each
/// event, and arms each descriptor anew: five system calls and two switches of threads where one
/// call will do. Nor does it let a process without descriptors live: its threads look for one
/// another in `/proc`. `run` takes over the main thread; where nobody calls it, as in tests, the
/// loop takes its turns on Dispatch's main queue instead.
@MainActor
public final class EventLoop {
  public static let main = EventLoop()

  /// Descriptors served in one turn; the others come in the next.
  public static let eventsPerTurn = 8
  /// Turns after which what waits for a quiet moment is done although there was none.
  public static let turnsWithoutQuiet = 8

  /// What a descriptor is watched for.
  public enum Interest: Hashable, Sendable {
    case read, write, readAndWrite
    /// For nothing but its end.
    case none

    fileprivate var events: UInt32 {
      switch self {
      case .read: EPOLLIN.rawValue
      case .write: EPOLLOUT.rawValue
      case .readAndWrite: EPOLLIN.rawValue | EPOLLOUT.rawValue
      case .none: 0
      }
    }
  }

  /// What a descriptor may do without waiting; one that failed or ended may do both.
  public struct Readiness: Sendable {
    public let isReadable: Bool
    public let isWritable: Bool

    fileprivate init(_ events: UInt32) {
      let ended = EPOLLERR.rawValue | EPOLLHUP.rawValue
      isReadable = events & (EPOLLIN.rawValue | ended) != 0
      isWritable = events & (EPOLLOUT.rawValue | ended) != 0
    }
  }

  /// In what order things are done in a quiet moment.
  ///
  /// A message is shown before it is noted as shown, and that before its receipt goes out: a program
  /// that ends in between shows a message twice rather than never.
  public enum Stage: Int, CaseIterable, Sendable {
    case show, remember, send
  }

  /// A descriptor being watched.
  ///
  /// Its number is never used again: an event for a descriptor closed in the same turn is nobody's.
  public struct Watch: Hashable, Sendable { fileprivate let number: UInt64 }

  private struct Watched {
    let descriptor: CInt
    let ready: @MainActor (Readiness) -> Void
  }

  /// -1 when the system had no descriptor left at the start; then nothing can be watched.
  let descriptors: CInt
  private var watched: [UInt64: Watched] = [:]
  private var lastNumber: UInt64 = 0
  var next: [@MainActor () -> Void] = []
  private var quiet = Stage.allCases.map { _ in [@MainActor () -> Void]() }
  private var busyTurns = 0
  var timers = TimerList()
  let mailbox = Postbox()
  var hosting = Hosting.possible
  var isHostedTurnDue = false

  init() {
    descriptors = epoll_create1(CInt(EPOLL_CLOEXEC))
    let watch = add(mailbox.wakeUp, for: .read) { [mailbox] _ in
      for work in mailbox.takeAll() { work() }
    }
    isAvailable = watch != nil
  }

  /// False when the system had no descriptor left at the start.
  public private(set) var isAvailable = false

  // MARK: Descriptors

  /// Watches a descriptor until `unwatch`, which must come before it is closed.
  ///
  /// - Returns: nil when it cannot be waited for, as a file on a disk, or when the system has no
  ///   memory for it.
  public func watch(
    _ descriptor: CInt, for interest: Interest, _ ready: @escaping @MainActor (Readiness) -> Void
  ) -> Watch? {
    beHosted()
    return add(descriptor, for: interest, ready)
  }

  private func add(
    _ descriptor: CInt, for interest: Interest, _ ready: @escaping @MainActor (Readiness) -> Void
  ) -> Watch? {
    lastNumber += 1
    guard control(EPOLL_CTL_ADD, descriptor, interest, lastNumber) else { return nil }
    watched[lastNumber] = Watched(descriptor: descriptor, ready: ready)
    return Watch(number: lastNumber)
  }

  public func change(_ watch: Watch, to interest: Interest) {
    guard let watched = watched[watch.number] else { return }
    _ = control(EPOLL_CTL_MOD, watched.descriptor, interest, watch.number)
  }

  public func unwatch(_ watch: Watch) {
    guard let watched = watched.removeValue(forKey: watch.number) else { return }
    _ = control(EPOLL_CTL_DEL, watched.descriptor, .none, watch.number)
  }

  private func control(
    _ operation: CInt, _ descriptor: CInt, _ interest: Interest, _ number: UInt64
  ) -> Bool {
    var event = epoll_event()
    event.events = interest.events
    event.data.u64 = number
    return epoll_ctl(descriptors, operation, descriptor, &event) == 0
  }

  // MARK: Work

  /// Does `work` in the next turn, after the descriptors that are ready by then had theirs.
  public func nextTurn(_ work: @escaping @MainActor () -> Void) {
    next.append(work)
    scheduleHostedTurn()
  }

  /// Does `work` when there is nothing else to do, or after a few turns if that does not come.
  ///
  /// For what is cheaper done once for several events, such as writing lines to a pipe.
  public func whenQuiet(_ stage: Stage, _ work: @escaping @MainActor () -> Void) {
    quiet[stage.rawValue].append(work)
    scheduleHostedTurn()
  }

  /// Does now what waits for a quiet moment.
  public func settle() {
    busyTurns = 0
    for stage in Stage.allCases {
      let due = quiet[stage.rawValue]
      quiet[stage.rawValue] = []
      for work in due { work() }
    }
  }

  // MARK: Turns

  /// Takes over the main thread for the rest of the process's life, and does `start` first.
  public func run(_ start: () -> Void) -> Never {
    hosting = .never
    start()
    while true { turn(mayWait: true) }
  }

  func turn(mayWait: Bool) {
    let timeout = !mayWait || hasWork ? 0 : timers.millisecondsLeft
    let served = serve(timeout)
    fireTimers()
    let due = next
    next = []
    for work in due { work() }
    guard !isSettled else { return }
    busyTurns += 1
    if served + due.count == 0 || busyTurns >= Self.turnsWithoutQuiet { settle() }
  }

  /// Whether there is something to do that no descriptor and no moment need bring about.
  var hasWork: Bool { !next.isEmpty || !isSettled }

  private var isSettled: Bool { quiet.allSatisfy(\.isEmpty) }

  /// - Returns: how many descriptors were ready.
  private func serve(_ milliseconds: CInt) -> Int {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { events in
      let count = epoll_wait(
        descriptors, events.baseAddress, CInt(events.count), milliseconds)
      let ready = events.prefix(Int(max(count, 0)))
      for event in ready { watched[event.data.u64]?.ready(Readiness(event.events)) }
      return ready.count
    }
  }
}
