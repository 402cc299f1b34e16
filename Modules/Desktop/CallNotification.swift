public import DBus

/// What a notification of a call that rings says.
public struct CallNotice: Hashable, Sendable {
  /// Both plain and harmless: one line each.
  public let summary: String
  public let body: String

  public init(summary: String, body: String) {
    self.summary = summary
    self.body = body
  }
}

/// The desktop's notification of a call that rings, with Answer and Decline.
///
/// Transient: no list of past calls is left behind. Whatever the service does, or that there is none,
/// is nobody's trouble: the call rings in the terminal all the same.
///
/// - Source: Desktop Notifications Specification 1.2 of freedesktop.org.
@MainActor
public final class CallNotification {
  public enum Choice: Hashable, Sendable { case answer, decline }

  static let service = "org.freedesktop.Notifications"
  static let path: ObjectPath = "/org/freedesktop/Notifications"
  /// A service that takes longer than this does without.
  static let patience = Duration.seconds(5)

  /// The user chose, by the notification.
  public var chosen: (Choice) -> Void = { _ in }
  /// Why there is no notification, in a sentence without full stop.
  public var trouble: (String) -> Void = { _ in }

  private let address: BusAddress
  private var bus: BusClient?
  private var tokens: [BusClient.Token] = []
  /// What rings; nil while nothing does.
  private var notice: CallNotice?
  /// Counts what rang, so that an answer about an earlier one is known.
  private var turn = 0
  /// The notification's number at the service, and whose it is.
  private var shown: (id: UInt32, owner: String?)?
  private var isAsking = false

  /// The bus is looked for when something rings for the first time.
  public init(_ address: BusAddress = .session) { self.address = address }

  /// Something rings from now on.
  public func ring(_ notice: CallNotice) {
    stop()
    turn += 1
    self.notice = notice
    if bus == nil { connect() } else { bus?.tryNow() }
    show()
  }

  /// It rings no more.
  public func stop() {
    notice = nil
    turn += 1
    guard let shown else { return }
    self.shown = nil
    close(shown.id)
  }

  /// Leaves the bus.
  public func end() {
    stop()
    for token in tokens { bus?.cancel(token) }
    tokens = []
    bus?.stop()
    bus = nil
  }

  /// What is held at the bus.
  var statistics: [(name: String, value: Int)] { bus?.statistics ?? [] }

  // MARK: The bus

  private func connect() {
    let bus = BusClient(address)
    self.bus = bus
    tokens = [
      bus.watchState { [weak self] state in
        if case .absent(let why) = state { self?.trouble("no session bus: \(why)") }
        self?.isAsking = false
        self?.show()
      },
      // Heard of this service's owner alone, whoever else says the same.
      bus.subscribe(rule("ActionInvoked")) { [weak self] in self?.invoked($0) },
      bus.subscribe(rule("NotificationClosed")) { [weak self] in self?.closed($0) },
      bus.watchName(Self.service) { [weak self] in self?.ownerChanged($0) },
    ]
  }

  private func rule(_ member: String) -> SignalRule {
    SignalRule(sender: Self.service, interface: Self.service, member: member, path: Self.path)
  }

  /// A service that starts anew knows nothing of what the one before showed.
  private func ownerChanged(_ owner: String?) {
    if shown != nil, shown?.owner == nil {
      shown?.owner = owner
    } else if shown?.owner != owner {
      shown = nil
    }
    if owner != nil { show() }
  }

  // MARK: Showing

  private func show() {
    guard let notice, shown == nil, !isAsking, let bus, bus.isConnected else { return }
    isAsking = true
    let turn = turn
    bus.call(method("GetCapabilities"), timeout: Self.patience) { [weak self] result in
      guard let self else { return }
      isAsking = false
      guard self.turn == turn else { return show() }
      switch result {
      case .success(let values): notify(notice, Set(values.first?.strings ?? []))
      case .failure(let error): trouble("the desktop shows no notification: \(error)")
      }
    }
  }

  private func notify(_ notice: CallNotice, _ capabilities: Set<String>) {
    let hasActions = capabilities.contains("actions")
    let body =
      notice.body + (hasActions ? "" : "; answer or decline in the terminal")
    let actions = hasActions ? ["answer", "Answer", "decline", "Decline"] : []
    let hints: [String: Value] = [
      "urgency": .byte(2), "transient": .bool(true), "category": .string("call.incoming"),
      "sound-name": .string("phone-incoming-call"),
    ]
    let arguments: [Value] = [
      .string("AirLink"), .uint32(0), .string("call-start"), .string(notice.summary),
      .string(capabilities.contains("body-markup") ? Self.escaped(body) : body),
      .strings(actions), .properties(hints), .int32(0),
    ]
    isAsking = true
    let turn = turn
    bus?.call(method("Notify", arguments), timeout: Self.patience) { [weak self] result in
      guard let self else { return }
      isAsking = false
      switch result {
      case .failure(let error):
        if self.turn == turn { trouble("the desktop shows no notification: \(error)") }
      case .success(let values):
        guard case .uint32(let id)? = values.first, id != 0 else {
          return trouble("the desktop's answer to a notification makes no sense")
        }
        guard self.turn == turn else {
          // It rang no more before it was shown.
          close(id)
          return show()
        }
        shown = (id, bus?.owner(of: Self.service))
      }
    }
  }

  private func close(_ id: UInt32) {
    bus?.call(method("CloseNotification", [.uint32(id)]), timeout: Self.patience) { _ in }
  }

  private func method(_ member: String, _ arguments: [Value] = []) -> MethodCall {
    MethodCall(Self.service, Self.path, Self.service, member, arguments)
  }

  // MARK: What comes back

  private func invoked(_ signal: Signal) {
    guard signal.arguments.count == 2, case .uint32(let id) = signal.arguments[0],
      id == shown?.id, let key = signal.arguments[1].string
    else { return }
    switch key {
    case "answer": chosen(.answer)
    case "decline": chosen(.decline)
    default: break
    }
  }

  /// Whoever waves it away, or a service that lets nothing stay, has decided nothing.
  private func closed(_ signal: Signal) {
    guard case .uint32(let id)? = signal.arguments.first, id == shown?.id else { return }
    shown = nil
    notice = nil
  }

  /// As the body's markup asks for it.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
