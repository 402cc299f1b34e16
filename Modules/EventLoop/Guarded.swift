internal import Glibc

/// A value that one thread at a time looks at or changes, behind a POSIX mutex.
///
/// `Synchronization.Mutex` would do, but hands itself over through the kernel (`FUTEX_LOCK_PI`),
/// which the thread sanitizer does not see: it takes every contended turn for a race.
///
/// Sendable, though the compiler cannot see it: `value` is reached through `withLock` alone, and
/// what goes in or out of it is sent.
public final class Guarded<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  public func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
