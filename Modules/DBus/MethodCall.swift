/// A method to be called.
public struct MethodCall: Sendable {
  /// A well-known name, `org.bluez`, or a unique one, `:1.42`.
  public var destination: String
  public var path: ObjectPath
  public var interface: String
  public var member: String
  public var arguments: [Value]
  /// Whether the bus may start a service that does not run.
  public var startsService: Bool

  public init(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
    _ arguments: [Value] = [], startsService: Bool = true
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
    self.startsService = startsService
  }
}

/// A method call that came in.
public struct IncomingCall: Sendable {
  /// The unique name of the caller.
  public let sender: String
  public let path: ObjectPath
  public let member: String
  public let arguments: [Value]
}

/// How a method call is refused.
public struct MethodError: Error, Hashable, Sendable {
  /// D-Bus's own names for what goes wrong.
  public enum Kind: String, Sendable {
    case failed = "org.freedesktop.DBus.Error.Failed"
    case accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    case invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    case unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    case unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    case propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
  }

  public let name: String
  public let message: String

  public init(_ kind: Kind, _ message: String) { self.init(name: kind.rawValue, message) }

  public init(name: String, _ message: String) {
    self.name = name
    self.message = message
  }
}

/// A signal that came.
public struct Signal: Sendable {
  /// The unique name of who sent it.
  public let sender: String
  public let path: ObjectPath
  public let interface: String
  public let member: String
  public let arguments: [Value]
}
