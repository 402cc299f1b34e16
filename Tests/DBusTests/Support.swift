import DBus
import Testing
import TestSupport

extension PrivateBus {
  var address: BusAddress { .address(addressText) }

  /// A client that is connected.
  func client() async throws -> BusClient {
    let client = BusClient(address)
    try await eventually("connected") { client.isConnected }
    return client
  }

  /// A client that owns `name`.
  func service(_ name: String) async throws -> BusClient {
    let client = try await client()
    let request = MethodCall(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      [.string(name), .uint32(4)])
    #expect(await client.call(request) == .success([.uint32(1)]))
    return client
  }
}

extension BusClient {
  func call(
    _ call: MethodCall, timeout: Duration = .seconds(30)
  ) async -> Result<[Value], BusError> {
    await withCheckedContinuation { continuation in
      self.call(call, timeout: timeout) { continuation.resume(returning: $0) }
    }
  }

  /// How many connections the bus has, this one among them.
  func connections() async throws -> Int {
    let list = MethodCall(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames")
    return try await call(list).get().first?.strings?.count { $0.hasPrefix(":") } ?? 0
  }

  func statistic(_ name: String) -> Int? { statistics.first { $0.name == name }?.value }
}
