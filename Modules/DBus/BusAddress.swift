internal import Glibc

/// Where a bus is.
public enum BusAddress: Hashable, Sendable {
  /// The machine's: bluetoothd and logind are there.
  case system
  /// The user's: the desktop is there.
  case session
  /// D-Bus's own notation: `unix:path=/run/user/1000/bus`.
  case address(String)

  /// In D-Bus's notation; nil when this user has no such bus.
  ///
  /// libdbus would go on to start a session bus of its own. A program in a place without a desktop
  /// has no use for one.
  var text: String? {
    switch self {
    case .system:
      return Self.environment("DBUS_SYSTEM_BUS_ADDRESS")
        ?? "unix:path=/run/dbus/system_bus_socket;unix:path=/var/run/dbus/system_bus_socket"
    case .session:
      if let address = Self.environment("DBUS_SESSION_BUS_ADDRESS") { return address }
      guard let directory = Self.environment("XDG_RUNTIME_DIR"),
        directory.utf8.first == UInt8(ascii: "/")
      else { return nil }
      return "unix:path=\(Self.escaped(directory))/bus"
    case .address(let text):
      return text
    }
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Every byte that an address does not take as it is, as `%` and two digits.
  private static func escaped(_ path: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "."):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
