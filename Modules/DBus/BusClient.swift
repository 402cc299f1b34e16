internal import CDBus
internal import EventLoop

/// A D-Bus client on the main loop: calls, signals, names, objects of its own.
///
/// It never waits: connecting takes place on a thread of its own, everything else is told. A bus that
/// is absent or goes away is tried again; what was asked to be heard, watched or shown stays asked,
/// and is said again to the bus that comes.
@MainActor
public final class BusClient {
  /// Pauses before the bus is tried again.
  static let retryPauses: [Duration] = [1, 2, 4, 8, 15, 30, 60].map { .seconds($0) }
  /// Calls under way at a time, and bytes waiting to be sent, beyond which calls are refused.
  public static let maximumCalls = 1_024
  public static let maximumOutgoing = 4 << 20
  /// How long an answer is waited for unless the caller says otherwise.
  public nonisolated static let defaultTimeout = Duration.seconds(25)

  public enum State: Hashable, Sendable {
    case connecting
    case connected
    /// There is no bus, or it went away; it is tried again. In libdbus's words.
    case absent(String)
    case stopped
  }

  /// Something asked for, to be taken back by `cancel`.
  public struct Token: Hashable, Sendable { let number: UInt64 }

  /// A call whose answer is awaited.
  struct Pending {
    /// libdbus's; nil while an answer known already is on its way.
    var raw: OpaquePointer?
    let done: @MainActor (Result<[Value], BusError>) -> Void
  }

  struct Subscription {
    let rule: SignalRule
    /// Its sender's name, watched to know whose signals count; nil for a unique name.
    let name: Token?
    let heard: @MainActor (Signal) -> Void
  }

  struct WatchedName {
    var rule: Token?
    /// Nil until known.
    var owner: String??
    var watchers: [UInt64: @MainActor (String?) -> Void] = [:]
    var lookup: Token?
  }

  public private(set) var state = State.connecting
  private let address: BusAddress
  private var failures = 0
  private var retry: EventLoop.Timer?
  private var wasToldAbsent = false
  private var lastNumber: UInt64 = 0
  var connection: Connection?
  var pending: [UInt64: Pending] = [:]
  var subscriptions: [UInt64: Subscription] = [:]
  /// How many subscriptions want each rule that the bus was told.
  var rules: [String: Int] = [:]
  var names: [String: WatchedName] = [:]
  /// The name that each watcher of a name watches.
  var watchedNames: [UInt64: String] = [:]
  var objects: [ObjectPath: [ExportedInterface]] = [:]
  /// Roots that tell of the objects below them.
  var managers: Set<ObjectPath> = []
  private var observers: [UInt64: @MainActor (State) -> Void] = [:]
  /// Rules that the bus refused; it would take them only if it had fewer.
  var refusedRules = 0

  /// Begins to connect.
  public init(_ address: BusAddress) {
    self.address = address
    // Avahi's client uses libdbus on a thread of its own.
    _ = dbus_threads_init_default()
    open()
  }

  /// The name that the bus gave this connection; nil without a bus.
  public private(set) var uniqueName: String?

  public var isConnected: Bool { state == .connected }

  /// Tells of every change of `state` from now on.
  public func watchState(_ changed: @escaping @MainActor (State) -> Void) -> Token {
    let token = nextToken()
    observers[token.number] = changed
    return token
  }

  /// Takes back what a token stands for; one that has had its turn is nobody's.
  ///
  /// A call is not answered any more, which does not mean that it is not carried out.
  public func cancel(_ token: Token) {
    observers[token.number] = nil
    cancelCall(token.number)
    cancelSubscription(token.number)
    cancelName(token.number)
  }

  /// Leaves the bus for good; calls under way are not answered any more.
  public func stop() {
    if state == .stopped { return }
    if let retry { EventLoop.main.cancel(retry) }
    for number in Array(pending.keys) { cancelCall(number) }
    connection?.close()
    connection = nil
    uniqueName = nil
    (subscriptions, names, watchedNames, objects, rules) = ([:], [:], [:], [:], [:])
    managers = []
    state = .stopped
    observers = [:]
  }

  /// Tries at once instead of after a pause: what was absent may have come.
  public func tryNow() {
    guard case .absent = state, let retry else { return }
    EventLoop.main.cancel(retry)
    failures = 0
    open()
  }

  /// What is held at the moment, by name: what nobody takes back shows here.
  public var statistics: [(name: String, value: Int)] {
    [
      ("calls", pending.count), ("rules", rules.count), ("subscriptions", subscriptions.count),
      ("names", names.count), ("objects", objects.count), ("refused-rules", refusedRules),
    ]
  }

  func nextToken() -> Token {
    lastNumber += 1
    return Token(number: lastNumber)
  }

  // MARK: Connecting

  private func open() {
    retry = nil
    guard let text = address.text else { return failed("no address of a session bus") }
    change(to: .connecting)
    let postbox = EventLoop.main.postbox
    let isStarted = BackgroundThread.start {
      var error = DBusError()
      dbus_error_init(&error)
      let raw = UInt(bitPattern: dbus_connection_open_private(text, &error))
      let message = error.message.map { String(cString: $0) } ?? "no memory"
      dbus_error_free(&error)
      postbox.post { [weak self] in
        guard let raw = OpaquePointer(bitPattern: raw) else { return self?.failed(message) ?? () }
        guard let self, self.state == .connecting else {
          dbus_connection_close(raw)
          return dbus_connection_unref(raw)
        }
        self.opened(raw)
      }
    }
    if !isStarted { failed("no thread left") }
  }

  private func opened(_ raw: OpaquePointer) {
    let connection = Connection(raw) { [weak self] in self?.received($0) ?? false }
    guard let connection else { return failed("no memory or descriptor left") }
    self.connection = connection
    let hello = MethodCall(busName, busPath, busName, "Hello")
    place(hello, timeout: Self.defaultTimeout) { [weak self, weak connection] result in
      guard let self, self.connection === connection else { return }
      guard case .success(let values) = result, let name = values.first?.string,
        isValid(name, dbus_validate_bus_name), let raw = connection?.raw
      else {
        if case .failure(let error) = result { return self.lost("\(error)") }
        return self.lost("the bus gave no name")
      }
      _ = dbus_bus_set_unique_name(raw, name)
      self.greeted(as: name)
    }
  }

  private func greeted(as name: String) {
    failures = 0
    uniqueName = name
    for rule in rules.keys { tell("AddMatch", rule) }
    for name in names.keys { lookUp(name) }
    change(to: .connected)
  }

  /// The connection broke, or never became one.
  func lost(_ why: String) {
    connection?.close()
    connection = nil
    uniqueName = nil
    failed(why)
    let answered = pending
    pending = [:]
    for call in answered.sorted(by: { $0.key < $1.key }) {
      if let raw = call.value.raw { release(raw) }
      call.value.done(.failure(.lost))
    }
    for name in Array(names.keys) { ownerChanged(name, nil) }
  }

  private func failed(_ why: String) {
    if state == .stopped { return }
    let pause = Self.retryPauses[min(failures, Self.retryPauses.count - 1)]
    failures += 1
    retry = EventLoop.main.after(pause) { [weak self] in self?.open() }
    change(to: .absent(why))
  }

  /// While it is tried again it stays absent, as far as anybody need know.
  private func change(to new: State) {
    state = new
    if new == .connecting { return }
    let isAbsent = if case .absent = new { true } else { false }
    if isAbsent, wasToldAbsent { return }
    wasToldAbsent = isAbsent
    for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer(new) }
  }

  // MARK: What comes

  private func received(_ message: Message) -> Bool {
    switch message.kind {
    case .signal:
      if message.interface == "org.freedesktop.DBus.Local", message.member == "Disconnected" {
        lost("the connection broke")
        return true
      }
      heard(message)
      return true
    case .methodCall:
      return called(message)
    case .methodReturn, .error, .other:
      return false
    }
  }
}

/// The bus itself, as a service.
let busName = "org.freedesktop.DBus"
let busPath: ObjectPath = "/org/freedesktop/DBus"
