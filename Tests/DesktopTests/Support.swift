import DBus
import TestSupport
import Testing

extension PrivateBus {
  var address: BusAddress { .address(addressText) }

  /// Has a client own `name`; what it shows should be there before.
  func own(_ name: String, _ client: BusClient) async throws {
    try await eventually("connected") { client.isConnected }
    var isOwner = false
    client.call(
      MethodCall(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        [.string(name), .uint32(4)])
    ) { isOwner = $0 == .success([.uint32(1)]) }
    try await eventually("the name is ours") { isOwner }
  }

  /// A client that owns `name`.
  func service(_ name: String) async throws -> BusClient {
    let client = BusClient(address)
    try await own(name, client)
    return client
  }
}
