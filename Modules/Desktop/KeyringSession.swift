internal import DBus
internal import EventLoop

/// One conversation with the service that keeps secrets, from its beginning to its end.
///
/// It waits for each answer, for nothing else runs meanwhile: a program needs its identity before it
/// does anything.
///
/// - Source: Secret Service API, draft of freedesktop.org.
@MainActor
final class KeyringSession {
  /// How long an answer is waited for.
  static let patience = Duration.seconds(10)
  /// How long a person has to type the keyring's password.
  static let personsPatience = Duration.seconds(120)

  static let service = "org.freedesktop.secrets"
  static let root: ObjectPath = "/org/freedesktop/secrets"
  private static let prefix = "org.freedesktop.Secret."
  /// What stands for no object.
  private static let none: ObjectPath = "/"

  private let bus: BusClient
  private var session: ObjectPath = "/"
  private var name: BusClient.Token?

  init(_ address: BusAddress) throws(KeyringError) {
    let bus = BusClient(address)
    self.bus = bus
    var state: BusClient.State { bus.state }
    guard EventLoop.main.wait(atMost: Self.patience, until: { state != .connecting }) else {
      bus.stop()
      throw .timedOut
    }
    if case .absent(let why) = state {
      bus.stop()
      throw .noBus(why)
    }
    do throws(KeyringError) {
      // In clear over the user's own bus: for the other way of the specification there is no
      // library here, and whoever can listen on that bus can ask for the secret themselves.
      let answer = try call(
        Self.root, "Service", "OpenSession", .string("plain"), .variant(.string("")))
      guard answer.count == 2, let path = answer[1].path else { throw .strange("OpenSession") }
      session = path
      // Signals count from who is known to be the service.
      name = bus.watchName(Self.service) { _ in }
      let isKnown = EventLoop.main.wait(atMost: Self.patience) {
        bus.owner(of: Self.service) != nil || !bus.isConnected
      }
      guard isKnown, bus.isConnected else { throw .noService }
    } catch {
      bus.stop()
      throw error
    }
  }

  /// Ends it; nothing of it stays on the bus.
  func close() {
    _ = try? call(session, "Session", "Close")
    bus.stop()
  }

  // MARK: What is asked

  /// The items with these attributes, unlocked now; the user may be asked for that.
  func items(_ attributes: [String: String]) throws(KeyringError) -> [ObjectPath] {
    let found = try call(Self.root, "Service", "SearchItems", Self.dictionary(attributes))
    guard found.count == 2, let unlocked = Self.paths(found[0]), let locked = Self.paths(found[1])
    else { throw .strange("SearchItems") }
    if !unlocked.isEmpty || locked.isEmpty { return unlocked }
    try unlock(locked)
    let again = try call(Self.root, "Service", "SearchItems", Self.dictionary(attributes))
    guard let items = again.first.flatMap(Self.paths) else { throw .strange("SearchItems") }
    guard !items.isEmpty else { throw .dismissed }
    return items
  }

  /// What an item holds.
  func secret(of item: ObjectPath) throws(KeyringError) -> [UInt8] {
    let answer = try call(item, "Item", "GetSecret", .path(session))
    guard let parts = answer.first?.elements, parts.count == 4, let bytes = Self.bytes(parts[2])
    else { throw .strange("GetSecret") }
    return bytes
  }

  /// Keeps a secret under these attributes, beside whatever there is.
  func store(
    _ secret: [UInt8], label: String, _ attributes: [String: String]
  ) throws(KeyringError) {
    let collection = try unlockedCollection()
    let properties = Value.properties([
      Self.prefix + "Item.Label": .string(label),
      Self.prefix + "Item.Attributes": Self.dictionary(attributes),
    ])
    let packed = Value.structure([
      .path(session), .bytes([]), .bytes(secret), .string("application/octet-stream"),
    ])
    let answer = try call(collection, "Collection", "CreateItem", properties, packed, .bool(false))
    guard answer.count == 2, let prompt = answer[1].path else { throw .strange("CreateItem") }
    _ = try confirm(prompt)
  }

  func delete(_ item: ObjectPath) throws(KeyringError) {
    let answer = try call(item, "Item", "Delete")
    guard let prompt = answer.first?.path else { throw .strange("Delete") }
    _ = try confirm(prompt)
  }

  /// The user's own collection, unlocked; made where there is none yet.
  func unlockedCollection() throws(KeyringError) -> ObjectPath {
    let answer = try call(Self.root, "Service", "ReadAlias", .string("default"))
    guard let path = answer.first?.path else { throw .strange("ReadAlias") }
    guard path != Self.none else { return try makeCollection() }
    let interface = Value.string(Self.prefix + "Collection")
    let locked = try wait(
      MethodCall(
        Self.service, path, "org.freedesktop.DBus.Properties", "Get",
        [interface, .string("Locked")]))
    guard let isLocked = locked.first?.bool else { throw .strange("Locked") }
    if isLocked { try unlock([path]) }
    return path
  }

  private func makeCollection() throws(KeyringError) -> ObjectPath {
    let label = Value.properties([Self.prefix + "Collection.Label": .string("Default keyring")])
    let answer = try call(Self.root, "Service", "CreateCollection", label, .string("default"))
    guard answer.count == 2, let path = answer[0].path, let prompt = answer[1].path else {
      throw .strange("CreateCollection")
    }
    let result = try confirm(prompt)
    guard path == Self.none else { return path }
    guard let made = result?.path, made != Self.none else { throw .strange("CreateCollection") }
    return made
  }

  private func unlock(_ objects: [ObjectPath]) throws(KeyringError) {
    let answer = try call(
      Self.root, "Service", "Unlock", .array(of: "o", objects.map { .path($0) }))
    guard answer.count == 2, let unlocked = Self.paths(answer[0]), let prompt = answer[1].path
    else { throw .strange("Unlock") }
    let more = try confirm(prompt).flatMap(Self.paths) ?? []
    guard !unlocked.isEmpty || !more.isEmpty else { throw .dismissed }
  }

  /// Has the user asked what the service wants to ask; nil where it wants nothing.
  private func confirm(_ prompt: ObjectPath) throws(KeyringError) -> Value? {
    guard prompt != Self.none else { return nil }
    var completed: [Value]?
    let rule = SignalRule(
      sender: Self.service, interface: Self.prefix + "Prompt", member: "Completed", path: prompt)
    let token = bus.subscribe(rule) { completed = $0.arguments }
    defer { bus.cancel(token) }
    try call(prompt, "Prompt", "Prompt", .string(""))
    var isThere: Bool { bus.isConnected && bus.owner(of: Self.service) != nil }
    _ = EventLoop.main.wait(atMost: Self.personsPatience) { completed != nil || !isThere }
    guard let completed else {
      guard isThere else { throw .noService }
      _ = try? call(prompt, "Prompt", "Dismiss")
      throw .timedOut
    }
    guard completed.count == 2, let isDismissed = completed[0].bool else {
      throw .strange("Completed")
    }
    guard !isDismissed else { throw .dismissed }
    return completed[1]
  }

  // MARK: Calls

  @discardableResult
  private func call(
    _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: Value...
  ) throws(KeyringError) -> [Value] {
    try wait(MethodCall(Self.service, path, Self.prefix + interface, member, arguments))
  }

  private func wait(_ call: MethodCall) throws(KeyringError) -> [Value] {
    var result: Result<[Value], BusError>?
    let token = bus.call(call, timeout: Self.patience) { result = $0 }
    // libdbus keeps the time, and a second more is for it.
    _ = EventLoop.main.wait(atMost: Self.patience + .seconds(1)) { result != nil }
    switch result {
    case .success(let values)?: return values
    case .failure(let error)?: throw KeyringError(error)
    case nil:
      bus.cancel(token)
      throw .timedOut
    }
  }

  // MARK: Values

  private static func paths(_ value: Value) -> [ObjectPath]? {
    guard let elements = value.elements else { return nil }
    let paths = elements.compactMap(\.path)
    return paths.count == elements.count ? paths : nil
  }

  private static func bytes(_ value: Value) -> [UInt8]? { value.bytes }

  private static func dictionary(_ attributes: [String: String]) -> Value {
    .dictionary(
      key: "s", value: "s",
      attributes.sorted { $0.key < $1.key }.map { .init(.string($0.key), .string($0.value)) })
  }
}
