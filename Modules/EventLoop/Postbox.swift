internal import CLinux
internal import Glibc

/// Brings work from other threads to the loop's.
public final class Postbox: Sendable {
  public typealias Work = @MainActor @Sendable () -> Void

  /// Readable while something waits; -1 when the system had no descriptor left.
  let wakeUp = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))
  private let waiting = Guarded<[Work]>([])

  deinit { if wakeUp >= 0 { close(wakeUp) } }

  /// Has `work` done in one of the loop's next turns, in the order of posting.
  ///
  /// There is no bound: whoever posts has few things under way at any time.
  public func post(_ work: @escaping Work) {
    let isFirst = waiting.withLock { waiting in
      waiting.append(work)
      return waiting.count == 1
    }
    var one: UInt64 = 1
    if isFirst { _ = write(wakeUp, &one, MemoryLayout.size(ofValue: one)) }
  }

  func takeAll() -> [Work] {
    var count: UInt64 = 0
    _ = read(wakeUp, &count, MemoryLayout.size(ofValue: count))
    return waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}

extension EventLoop {
  /// Where other threads leave work for this one.
  public var postbox: Postbox {
    beHosted()
    return mailbox
  }
}
