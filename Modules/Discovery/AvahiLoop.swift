internal import CAvahi
internal import CLinux
internal import EventLoop
internal import Glibc

/// A thread with Avahi's own event loop, and a mailbox for work to be done on it.
///
/// libavahi-client asks its daemon and waits for the answer, up to 25 s when the daemon hangs: on
/// the main thread that would hold up every call and message. So everything of Avahi, embedded too,
/// is done here, and only news go to the main thread.
///
/// Sendable, though the compiler cannot see it: what changes is behind `mailbox`'s lock, the
/// pointers are set once in `init` and Avahi's loop is used from its own thread alone.
final class AvahiLoop: @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  /// Work waiting while the thread is held up; what comes on top is dropped.
  static let maximumWaiting = 4_096
  /// How long the end of a loop waits for goodbyes to go out.
  static let farewell = Duration.seconds(1)

  let api: UnsafePointer<AvahiPoll>
  private let poll: OpaquePointer
  private let wakeUp: CInt
  private let mailbox = Guarded<[Work]>([])

  /// Starts the thread; nil when the system has no thread or descriptor left.
  init?() {
    let wakeUp = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))
    guard wakeUp >= 0 else { return nil }
    guard let poll = avahi_threaded_poll_new(), let api = avahi_threaded_poll_get(poll) else {
      close(wakeUp)
      return nil
    }
    self.api = api
    self.poll = poll
    self.wakeUp = wakeUp
    let watch = api.pointee.watch_new?(
      api, wakeUp, AVAHI_WATCH_IN,
      { _, _, _, context in
        guard let context else { return }
        Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue().empty()
      }, Unmanaged.passUnretained(self).toOpaque())
    guard watch != nil, avahi_threaded_poll_start(poll) == 0 else {
      avahi_threaded_poll_free(poll)
      close(wakeUp)
      return nil
    }
  }

  /// Has `work` done on the thread, in the order of posting.
  func post(_ work: @escaping Work) {
    let accepted = mailbox.withLock { waiting in
      guard waiting.count < Self.maximumWaiting else { return false }
      waiting.append(work)
      return true
    }
    var one: UInt64 = 1
    if accepted { write(wakeUp, &one, MemoryLayout.size(ofValue: one)) }
  }

  /// Ends the thread after `last`, for which it waits at most `farewell`.
  func end(_ last: @escaping Work) {
    let done = Latch()
    post { [self] in
      last()
      avahi_threaded_poll_quit(poll)
      done.open()
    }
    if done.wait(atMost: Self.farewell) { return free() }
    // A thread that hangs in a call is joined when it comes back, if the process lives that long.
    _ = BackgroundThread.start { [self] in
      done.wait()
      free()
    }
  }

  /// Joins the thread, which is at its end.
  private func free() {
    avahi_threaded_poll_free(poll)
    close(wakeUp)
  }

  private func empty() {
    var count: UInt64 = 0
    read(wakeUp, &count, MemoryLayout.size(ofValue: count))
    let work = mailbox.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for item in work { item() }
  }
}
