internal import Glibc

/// A thread for what makes its caller wait and cannot be watched, such as asking a name server.
public enum BackgroundThread {
  private final class Task {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }

  /// Does `work` on a thread of its own, which ends with it.
  ///
  /// - Returns: false when the system has no thread left; nothing is done then.
  public static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let task = Unmanaged.passRetained(Task(work))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Task>.fromOpaque(context).takeRetainedValue().work()
        return nil
      }, task.toOpaque())
    guard error == 0 else {
      task.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
