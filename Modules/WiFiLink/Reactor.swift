internal import CLinux
internal import Dispatch
internal import Glibc

/// Tells which sockets are ready, on the main queue.
///
/// One epoll behind one dispatch source, not two sources a socket: a thousand links cost little,
/// a socket can be closed at once wherever it is noticed to be bad, and a turn of the main queue
/// does a bounded piece of work, link by link in turn.
@MainActor
final class Reactor {
  /// Sockets served in one turn; the others come in the next.
  static let eventsPerTurn = 8

  /// What a socket is watched for.
  enum Interest: Hashable {
    case read, write, readAndWrite
    /// Watched for nothing but its end.
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

  struct Readiness {
    let isReadable: Bool
    let isWritable: Bool
  }

  private struct Watch {
    let descriptor: CInt
    let ready: (Readiness) -> Void
  }

  private let epoll: CInt
  private let source: any DispatchSourceRead
  /// By a number that is never used again: an event for a socket closed in the same turn is nobody's.
  private var watches: [UInt64: Watch] = [:]
  private var lastToken: UInt64 = 0

  /// - Throws: `WiFiLinkError.system` when the system has no descriptor left.
  init() throws(WiFiLinkError) {
    epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .system("epoll_create1", errno) }
    source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: .main)
    let epoll = epoll
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.turn() } }
    source.setCancelHandler { Glibc.close(epoll) }
    source.activate()
  }

  /// Watches a socket until it is removed, which must come before it is closed.
  ///
  /// - Returns: a token for `change` and `remove`; nil when the system has no memory for it.
  func add(
    _ descriptor: CInt, for interest: Interest, _ ready: @escaping (Readiness) -> Void
  ) -> UInt64? {
    lastToken += 1
    guard control(EPOLL_CTL_ADD, descriptor, interest, lastToken) else { return nil }
    watches[lastToken] = Watch(descriptor: descriptor, ready: ready)
    return lastToken
  }

  func change(_ token: UInt64, to interest: Interest) {
    guard let watch = watches[token] else { return }
    _ = control(EPOLL_CTL_MOD, watch.descriptor, interest, token)
  }

  func remove(_ token: UInt64) {
    guard let watch = watches.removeValue(forKey: token) else { return }
    _ = control(EPOLL_CTL_DEL, watch.descriptor, .none, token)
  }

  func stop() {
    watches = [:]
    source.cancel()
  }

  private func control(
    _ operation: CInt, _ descriptor: CInt, _ interest: Interest, _ token: UInt64
  ) -> Bool {
    var event = epoll_event()
    event.events = interest.events
    event.data.u64 = token
    return epoll_ctl(epoll, operation, descriptor, &event) == 0
  }

  private func turn() {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { events in
      let count = epoll_wait(epoll, events.baseAddress, CInt(events.count), 0)
      for event in events.prefix(Int(max(count, 0))) {
        let bad = EPOLLERR.rawValue | EPOLLHUP.rawValue
        watches[event.data.u64]?.ready(
          Readiness(
            isReadable: event.events & (EPOLLIN.rawValue | bad) != 0,
            isWritable: event.events & (EPOLLOUT.rawValue | bad) != 0))
      }
    }
  }
}
