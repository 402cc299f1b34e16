internal import Discovery
internal import EventLoop
internal import Glibc

/// Takes in the connections that others make.
@MainActor
final class Listener {
  /// Connections taken in one turn.
  static let acceptsPerTurn = 16
  /// How long none is taken when the process has no descriptor left.
  static let exhaustedPause = Duration.seconds(1)

  let port: UInt16
  private let descriptor: CInt
  private var watch: EventLoop.Watch?
  /// Held for the moment when no other is left: with it the oldest that waits is turned away, which
  /// would otherwise be reported as waiting for ever.
  private var spare: CInt
  private let accepted: (CInt) -> Void
  private let exhausted: () -> Void
  private var isStopped = false

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - address: where.
  ///   - accepted: takes the descriptor of a new connection, and owns it.
  ///   - exhausted: is called when there is no descriptor left for another.
  /// - Throws: `WiFiLinkError`, when the port is taken or the address is not ours.
  init(
    at address: ListenAddress, accepted: @escaping (CInt) -> Void,
    exhausted: @escaping () -> Void
  ) throws(WiFiLinkError) {
    self.accepted = accepted
    self.exhausted = exhausted
    var ip = address.address
    if let scope = address.scope {
      guard let index = InterfaceMonitor.index(of: scope) else { throw .noSuchInterface(scope) }
      ip = ip?.scoped(to: index)
    }
    do throws(TCPSocket.Failure) {
      descriptor = try TCPSocket.listen(at: ip, port: address.port)
    } catch {
      throw switch error {
      case .failed(EADDRINUSE): .portTaken(address)
      case .failed(EADDRNOTAVAIL): .noSuchAddress(address)
      case .failed(EACCES): .notPermitted(address)
      case .failed(let error), .exhausted(let error): .system("listen", error)
      case .again: .system("listen", EAGAIN)
      }
    }
    port = Endpoint(descriptor, by: getsockname)?.port ?? address.port
    spare = Self.openSpare()
    beginWatching()
  }

  func stop() {
    guard !isStopped else { return }
    isStopped = true
    if let watch { EventLoop.main.unwatch(watch) }
    watch = nil
    Glibc.close(descriptor)
    if spare >= 0 { Glibc.close(spare) }
  }

  private static func openSpare() -> CInt { open("/dev/null", O_RDONLY | O_CLOEXEC) }

  private func beginWatching() {
    guard watch == nil, !isStopped else { return }
    watch = EventLoop.main.watch(descriptor, for: .read) { [weak self] _ in self?.takeIn() }
    if watch == nil { pause() }
  }

  private func takeIn() {
    for _ in 0..<Self.acceptsPerTurn {
      if isStopped { return }
      do throws(TCPSocket.Failure) {
        accepted(try TCPSocket.accept(descriptor))
      } catch {
        switch error {
        case .again: return
        case .exhausted: return turnAway()
        // What became of one connection says nothing about the next (accept(2)).
        case .failed: continue
        }
      }
    }
  }

  /// Turns one away with the spare descriptor, then rests.
  private func turnAway() {
    if spare >= 0 {
      Glibc.close(spare)
      if let descriptor = try? TCPSocket.accept(descriptor) { Glibc.close(descriptor) }
    }
    exhausted()
    spare = Self.openSpare()
    pause()
  }

  private func pause() {
    if let watch { EventLoop.main.unwatch(watch) }
    watch = nil
    EventLoop.main.after(Self.exhaustedPause) { [weak self] in self?.beginWatching() }
  }
}
