internal import CLinux
internal import Glibc

/// What threads wait for until another opens it, once and for all.
///
/// Sendable, though the compiler cannot see it: the pointer never changes, and a semaphore is made
/// to be used by several threads.
public final class Latch: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  public init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  public func open() { sem_post(semaphore) }

  public func wait() {
    while sem_wait(semaphore) != 0 {}
    open()
  }

  /// - Returns: whether it was opened by then.
  public func wait(atMost pause: Duration) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let (seconds, fraction) = pause.components
    end.tv_sec += Int(seconds)
    end.tv_nsec += Int(fraction / 1_000_000_000)
    if end.tv_nsec >= 1_000_000_000 {
      end.tv_sec += 1
      end.tv_nsec -= 1_000_000_000
    }
    while sem_clockwait(semaphore, CLOCK_MONOTONIC, &end) != 0 {
      if errno != EINTR { return false }
    }
    open()
    return true
  }
}
