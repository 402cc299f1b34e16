internal import CLinux
internal import Glibc

/// Lets another thread have something done on the loop's, without a lock and without memory.
///
/// Rings that come before the work was done count as one.
@MainActor
public final class Doorbell {
  /// What other threads hold.
  ///
  /// Rung after `close`, it does nothing: the descriptor stays open until the last holder is gone.
  public final class Button: Sendable {
    let descriptor = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))

    public func ring() {
      var one: UInt64 = 1
      _ = write(descriptor, &one, MemoryLayout.size(ofValue: one))
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
  }

  public let button = Button()
  private var watch: EventLoop.Watch?
  private let loop: EventLoop

  /// Nil when the system has no descriptors left.
  public init?(loop: EventLoop = .main, _ work: @escaping @MainActor () -> Void) {
    self.loop = loop
    let descriptor = button.descriptor
    guard descriptor >= 0,
      let watch = loop.watch(
        descriptor, for: .read,
        { _ in
          var count: UInt64 = 0
          _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
          work()
        })
    else { return nil }
    self.watch = watch
  }

  /// Ends it; has to be called once.
  public func close() {
    if let watch { loop.unwatch(watch) }
    watch = nil
  }
}
