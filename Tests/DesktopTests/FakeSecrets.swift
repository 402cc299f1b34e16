import DBus
import TestSupport
import Testing

/// A keyring as Secret Service describes it, with one collection, on a bus of a test's own.
@MainActor
final class FakeSecrets {
  enum Conduct: Hashable {
    case willing
    /// Locked, and unlocked when the user is asked.
    case locked
    /// Locked, and the question is dismissed.
    case dismissing
    /// Locked, and goes away while the user is asked.
    case leaving
    /// Nothing has been made yet: the first key needs a collection first.
    case empty
    /// Answers every call with what nobody can use.
    case strange
    /// Refuses to store.
    case refusing
    /// Hands out other bytes than were stored.
    case forgetful
  }

  static let root: ObjectPath = "/org/freedesktop/secrets"
  static let collection: ObjectPath = "/org/freedesktop/secrets/collection/login"
  static let prompt: ObjectPath = "/org/freedesktop/secrets/prompt/p1"
  static let session: ObjectPath = "/org/freedesktop/secrets/session/s1"

  let client: BusClient
  var conduct: Conduct
  private(set) var items: [(path: ObjectPath, attributes: [String: String], secret: [UInt8])] = []
  private(set) var prompts = 0
  private(set) var sessions = 0
  private var isLocked: Bool
  private var hasCollection: Bool

  init(_ bus: PrivateBus, _ conduct: Conduct = .willing) async throws {
    client = try await bus.service("org.freedesktop.secrets")
    self.conduct = conduct
    isLocked = [.locked, .dismissing, .leaving].contains(conduct)
    hasCollection = conduct != .empty
    export()
  }

  /// Puts a key there that somebody else made.
  func put(_ secret: [UInt8], for index: Int) { items[index].secret = secret }

  func lock(_ conduct: Conduct) {
    self.conduct = conduct
    isLocked = true
  }

  private func method(
    _ body: @escaping @MainActor (FakeSecrets, IncomingCall) -> Result<[Value], MethodError>
  ) -> ExportedInterface.Method {
    { [weak self] call in
      guard let self else { return .failure(MethodError(.failed, "gone")) }
      if conduct == .strange { return .success([.string("what?")]) }
      return body(self, call)
    }
  }

  private static let paths: (([ObjectPath]) -> Value) = { .array(of: "o", $0.map { .path($0) }) }

  private func export() {
    client.export(
      Self.root,
      [
        ExportedInterface(
          "org.freedesktop.Secret.Service",
          methods: [
            "OpenSession": method { fake, call in
              guard call.arguments.first?.string == "plain" else {
                return .failure(MethodError(name: "org.freedesktop.DBus.Error.NotSupported", ""))
              }
              fake.sessions += 1
              return .success([.variant(.string("")), .path(Self.session)])
            },
            "SearchItems": method { fake, call in
              var wanted: [String: String] = [:]
              for entry in call.arguments.first?.entries ?? [] {
                wanted[entry.key.string ?? ""] = entry.value.string
              }
              let found = fake.items.filter { item in
                wanted.allSatisfy { item.attributes[$0.key] == $0.value }
              }.map(\.path)
              return .success(
                fake.isLocked
                  ? [Self.paths([]), Self.paths(found)] : [Self.paths(found), Self.paths([])])
            },
            "ReadAlias": method { fake, _ in
              .success([.path(fake.hasCollection ? Self.collection : "/")])
            },
            "CreateCollection": method { _, _ in .success([.path("/"), .path(Self.prompt)]) },
            "Unlock": method { fake, call in
              let asked = call.arguments.first?.elements?.compactMap(\.path) ?? []
              return .success(
                fake.isLocked
                  ? [Self.paths([]), .path(Self.prompt)] : [Self.paths(asked), .path("/")])
            },
          ])
      ])
    client.export(
      Self.prompt,
      [
        ExportedInterface(
          "org.freedesktop.Secret.Prompt",
          methods: [
            "Prompt": method { fake, _ in
              fake.prompted()
              return .success([])
            }, "Dismiss": method { _, _ in .success([]) },
          ])
      ])
    client.export(
      Self.session,
      [
        ExportedInterface(
          "org.freedesktop.Secret.Session",
          methods: [
            "Close": method { fake, _ in
              fake.sessions -= 1
              return .success([])
            }
          ])
      ])
    client.export(
      Self.collection,
      [
        ExportedInterface(
          "org.freedesktop.Secret.Collection",
          methods: ["CreateItem": method { $0.create($1) }],
          properties: { [weak self] in ["Locked": .bool(self?.isLocked ?? true)] })
      ])
  }

  private func prompted() {
    prompts += 1
    switch conduct {
    case .leaving: client.stop()
    case .dismissing: completed(true, .string(""))
    case .empty:
      hasCollection = true
      completed(false, .path(Self.collection))
    default:
      isLocked = false
      completed(false, Self.paths([Self.collection]))
    }
  }

  private func completed(_ isDismissed: Bool, _ result: Value) {
    _ = client.emit(
      Self.prompt, "org.freedesktop.Secret.Prompt", "Completed",
      [.bool(isDismissed), .variant(result)])
  }

  private func create(_ call: IncomingCall) -> Result<[Value], MethodError> {
    guard conduct != .refusing, !isLocked else {
      return .failure(MethodError(name: "org.freedesktop.Secret.Error.IsLocked", "it is locked"))
    }
    var attributes: [String: String] = [:]
    let properties = call.arguments.first?.properties ?? [:]
    for entry in properties["org.freedesktop.Secret.Item.Attributes"]?.entries ?? [] {
      attributes[entry.key.string ?? ""] = entry.value.string
    }
    guard call.arguments.count == 3, let parts = call.arguments[1].elements, parts.count == 4,
      let secret = parts[2].bytes,
      let path = ObjectPath("\(Self.collection)/\(items.count)")
    else { return .failure(MethodError(.invalidArguments, "")) }
    let index = items.count
    items.append((path, attributes, conduct == .forgetful ? [1, 2, 3] : secret))
    client.export(
      path,
      [
        ExportedInterface(
          "org.freedesktop.Secret.Item",
          methods: [
            "GetSecret": method { fake, _ in
              .success([
                .structure([
                  .path(Self.session), .bytes([]), .bytes(fake.items[index].secret),
                  .string("text/plain"),
                ])
              ])
            },
            "Delete": method { fake, _ in
              fake.items[index].attributes = [:]
              return .success([.path("/")])
            },
          ])
      ])
    return .success([.path(path), .path("/")])
  }
}
