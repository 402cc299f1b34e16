internal import CTerminal
internal import EventLoop
internal import Glibc

/// Signals of this process, handed to the event loop.
///
/// By a handler that writes into a pipe: that works on whichever thread the system delivers one.
@MainActor
public final class SignalInlet {
  /// Takes a handler away again.
  public struct Token: Hashable, Sendable {
    fileprivate let number: Int32
    fileprivate let serial: Int
  }

  public static let shared = SignalInlet()

  private var watch: EventLoop.Watch?
  private var handlers: [Int32: [(serial: Int, act: @MainActor () -> Void)]] = [:]
  private var lastSerial = 0

  private init() {}

  /// From now on `act` is called, among others, for each signal of this number.
  ///
  /// What the signal would do by itself no longer happens, also after the token is given back.
  @discardableResult
  public func on(_ number: Int32, _ act: @escaping @MainActor () -> Void) -> Token {
    open()
    lastSerial += 1
    if handlers[number] == nil { airlink_signal_watch(number) }
    handlers[number, default: []].append((lastSerial, act))
    return Token(number: number, serial: lastSerial)
  }

  public func remove(_ token: Token) {
    handlers[token.number]?.removeAll { $0.serial == token.serial }
  }

  private func open() {
    guard watch == nil else { return }
    let descriptor = airlink_signal_pipe()
    guard descriptor >= 0 else { return }
    watch = EventLoop.main.watch(descriptor, for: .read) { [weak self] _ in
      self?.take(from: descriptor)
    }
  }

  private func take(from descriptor: Int32) {
    var numbers = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &numbers, numbers.count)
    guard count > 0 else { return }
    for number in numbers.prefix(count) {
      for handler in handlers[Int32(number)] ?? [] { handler.act() }
    }
  }
}
