internal import CDBus

/// An interface that an object of this program has.
public struct ExportedInterface {
  public typealias Method = @MainActor (IncomingCall) -> Result<[Value], MethodError>

  public let name: String
  /// What can be called, by its name.
  public var methods: [String: Method]
  /// What can be read; asked whenever somebody reads.
  public var properties: @MainActor () -> [String: Value]

  public init(
    _ name: String, methods: [String: Method] = [:],
    properties: @escaping @MainActor () -> [String: Value] = { [:] }
  ) {
    self.name = name
    self.methods = methods
    self.properties = properties
  }
}

extension BusClient {
  /// Objects shown at a time.
  public static let maximumObjects = 256

  /// Shows an object at `path`, in place of what was there; its properties can be read, not set.
  public func export(_ path: ObjectPath, _ interfaces: [ExportedInterface]) {
    guard objects.count < Self.maximumObjects || objects[path] != nil else { return }
    objects[path] = interfaces
  }

  /// Makes `root` tell of all objects below it, by `GetManagedObjects`.
  public func exportManager(_ root: ObjectPath) { managers.insert(root) }

  /// Shows nothing at `path` any more, neither an object nor a manager.
  public func unexport(_ path: ObjectPath) {
    objects[path] = nil
    managers.remove(path)
  }

  /// Tells that properties of an object have other values now, to everybody or to one.
  @discardableResult
  public func emitChanged(
    _ path: ObjectPath, _ interface: String, _ changed: [String: Value],
    to destination: String? = nil
  ) -> BusError? {
    emit(
      path, propertiesInterface, "PropertiesChanged",
      [.string(interface), .properties(changed), .strings([])], to: destination)
  }

  /// Answers a method call; false when nothing is at its path.
  func called(_ message: Message) -> Bool {
    guard let path = message.path, objects[path] != nil || managers.contains(path) else {
      return false
    }
    let result: Result<[Value], MethodError>
    do throws(BusError) {
      let call = IncomingCall(
        sender: message.sender, path: path, member: message.member,
        arguments: try message.arguments())
      guard let answer = answer(call, interface: message.interface) else { return false }
      result = answer
    } catch {
      result = .failure(MethodError(.invalidArguments, "\(error)"))
    }
    guard message.wantsReply, let raw = connection?.raw else { return true }
    // Who calls without reading the answers does not make them pile up here.
    guard dbus_connection_get_outgoing_size(raw) < Self.maximumOutgoing else { return true }
    if let reply = message.reply(result) { _ = dbus_connection_send(raw, reply.raw, nil) }
    return true
  }

  /// Nil when no such method is known.
  private func answer(
    _ call: IncomingCall, interface: String
  ) -> Result<[Value], MethodError>? {
    let interfaces = objects[call.path] ?? []
    switch (interface, call.member) {
    case (propertiesInterface, "Get"): return get(call, interfaces)
    case (propertiesInterface, "GetAll"): return getAll(call, interfaces)
    case (propertiesInterface, "Set"):
      return .failure(MethodError(.propertyReadOnly, "the properties cannot be set"))
    case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"):
      return managers.contains(call.path) ? .success([managed(by: call.path)]) : nil
    default:
      // The interface may be left out.
      for exported in interfaces where interface.isEmpty || exported.name == interface {
        if let method = exported.methods[call.member] { return method(call) }
      }
      return nil
    }
  }

  private func get(
    _ call: IncomingCall, _ interfaces: [ExportedInterface]
  ) -> Result<[Value], MethodError> {
    guard call.arguments.count == 2, let name = call.arguments[0].string,
      let property = call.arguments[1].string
    else { return .failure(MethodError(.invalidArguments, "an interface and a name are wanted")) }
    guard let interface = interfaces.first(where: { $0.name == name }) else {
      return .failure(MethodError(.unknownInterface, "no such interface"))
    }
    guard let value = interface.properties()[property] else {
      return .failure(MethodError(.unknownProperty, "no such property"))
    }
    return .success([.variant(value)])
  }

  private func getAll(
    _ call: IncomingCall, _ interfaces: [ExportedInterface]
  ) -> Result<[Value], MethodError> {
    guard call.arguments.count == 1, let name = call.arguments[0].string else {
      return .failure(MethodError(.invalidArguments, "an interface is wanted"))
    }
    guard let interface = interfaces.first(where: { $0.name == name }) else {
      return .failure(MethodError(.unknownInterface, "no such interface"))
    }
    return .success([.properties(interface.properties())])
  }

  /// `a{oa{sa{sv}}}`: each object's interfaces with their properties.
  private func managed(by root: ObjectPath) -> Value {
    let below = objects.filter { $0.key != root && $0.key.isWithin(root) }
    return .dictionary(
      key: "o", value: "a{sa{sv}}",
      below.sorted { $0.key.description < $1.key.description }.map { path, interfaces in
        Value.Entry(
          .path(path),
          .dictionary(
            key: "s", value: "a{sv}",
            interfaces.map { Value.Entry(.string($0.name), .properties($0.properties())) }))
      })
  }
}
