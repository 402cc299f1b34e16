internal import CDBus

/// Where an object is: `/org/bluez/hci0` (D-Bus Specification, "Valid Object Paths").
public struct ObjectPath: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  public let description: String

  /// Nil unless it is a valid path.
  public init?(_ text: String) {
    guard isValid(text, dbus_validate_path) else { return nil }
    description = text
  }

  /// A path that stands in the program's own text.
  public init(stringLiteral text: StaticString) {
    guard let path = ObjectPath("\(text)") else { preconditionFailure("no object path: \(text)") }
    self = path
  }

  /// Whether it is `other` or lies below it.
  public func isWithin(_ other: ObjectPath) -> Bool {
    if other.description == "/" || self == other { return true }
    return description.utf8.starts(with: other.description.utf8)
      && description.utf8.dropFirst(other.description.utf8.count).first == UInt8(ascii: "/")
  }

  /// The last of its names; empty for `/`.
  public var name: String {
    String(description.split(separator: "/").last ?? "")
  }
}

/// One complete type in D-Bus's notation: `s`, `ay`, `a{sv}`.
///
/// - Source: D-Bus Specification, "Type System".
public struct Signature: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  public let description: String

  /// Nil unless it is exactly one complete type.
  public init?(_ text: String) {
    guard isValid(text, dbus_signature_validate_single) else { return nil }
    description = text
  }

  /// A type that stands in the program's own text.
  public init(stringLiteral text: StaticString) {
    guard let signature = Signature("\(text)") else { preconditionFailure("no type: \(text)") }
    self = signature
  }

  /// A type whose text was made from types.
  init(composed text: String) { description = text }
}

/// Asks one of libdbus's checks.
///
/// libdbus ends the process when it is handed what would fail them.
func isValid(
  _ text: String, _ check: (UnsafePointer<CChar>?, UnsafeMutablePointer<DBusError>?) -> dbus_bool_t
) -> Bool {
  !text.utf8.contains(0) && check(text, nil) != 0
}
