import CDBus
import Testing

@testable import DBus

/// One who is on the bus and does nothing at all: nobody reads what comes for it.
@MainActor
final class Silent {
  private var raw: OpaquePointer?

  init(_ address: BusAddress, named name: String) throws {
    let text = try #require(address.text)
    raw = dbus_connection_open_private(text, nil)
    try #require(raw != nil)
    try #require(dbus_bus_register(raw, nil) != 0)
    try #require(dbus_bus_request_name(raw, name, 4, nil) == 1)
  }

  isolated deinit { close() }

  func close() {
    guard let raw else { return }
    dbus_connection_close(raw)
    dbus_connection_unref(raw)
    self.raw = nil
  }
}
