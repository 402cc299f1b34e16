import Glibc
import TestSupport
import Testing

@testable import DBus

/// Buses that are absent, go away, come back, or are none.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"))
@MainActor
struct BusLossTests {
  static let name = "org.airlink.Test"

  @Test("when the bus dies calls fail, names have no owner, and everything is said to the next bus")
  func restart() async throws {
    let bus = try PrivateBus()
    let client = try await bus.client()
    var (states, owners, heard): ([BusClient.State], [String?], Int) = ([], [], 0)
    _ = client.watchState { states.append($0) }
    _ = client.watchName(Self.name) { owners.append($0) }
    let rule = SignalRule(sender: Self.name, interface: "org.airlink.Thing", member: "Changed")
    _ = client.subscribe(rule) { _ in heard += 1 }
    let silent = try Silent(bus.address, named: Self.name)
    try await eventually("known") { client.owner(of: Self.name) != nil }

    var result: Result<[Value], BusError>?
    client.call(MethodCall(Self.name, "/", "a.b", "C")) { result = $0 }
    bus.kill()
    try await eventually("answered") { result != nil }
    #expect(result == .failure(.lost))
    #expect(client.owner(of: Self.name) == nil)
    #expect(client.uniqueName == nil)
    silent.close()

    bus.start()
    client.tryNow()
    try await eventually("connected") { client.isConnected }
    let service = try await bus.service(Self.name)
    try await eventually("known") { client.owner(of: Self.name) == service.uniqueName }
    service.emit("/a", "org.airlink.Thing", "Changed", [])
    try await eventually("heard") { heard == 1 }
    // One word for the loss, one for the return.
    #expect(states.count == 2)
    #expect(states.last == .connected)
    #expect(owners.compactMap { $0 }.count == 2)
    service.stop()
    client.stop()
  }

  @Test("an absent bus is said once, tried again, and found when it comes")
  func absence() async throws {
    let bus = try PrivateBus()
    bus.kill()
    let client = BusClient(bus.address)
    var states: [BusClient.State] = []
    _ = client.watchState { states.append($0) }
    try await eventually("absent") { !states.isEmpty }
    for _ in 0..<5 {
      client.tryNow()
      try await eventually("absent") {
        if case .absent = client.state { true } else { false }
      }
    }
    #expect(states.count == 1)
    bus.start()
    // By itself this time.
    try await eventually("connected") { client.isConnected }
    client.stop()
  }

  @Test(
    "an address that is none, or leads nowhere, is an absent bus",
    arguments: ["", "nonsense", "unix:path=/nonexistent/bus", "tcp:host=;port=x", "unix:path=\0"])
  func addresses(text: String) async throws {
    let client = BusClient(.address(text))
    try await eventually("absent") { if case .absent = client.state { true } else { false } }
    client.stop()
  }

  @Test(
    "one who accepts and talks nonsense, or hangs up, is an absent bus", arguments: [true, false])
  func impostor(talks: Bool) async throws {
    let path = "/tmp/airlink-impostor-\(getpid())-\(talks)"
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(isBound == 0 && listen(listener, 4) == 0)
    defer {
      close(listener)
      unlink(path)
    }
    let client = BusClient(.address("unix:path=\(path)"))
    let peer = await withCheckedContinuation { continuation in
      // It waits in the backlog by now or soon; accept(2) may wait, on a thread of its own.
      let thread = Task.detached { accept(listener, nil, nil) }
      Task { continuation.resume(returning: await thread.value) }
    }
    if talks { _ = write(peer, String(repeating: "OK \u{1}\r\n", count: 1_000), 8_000) }
    if !talks { close(peer) }
    try await eventually("absent") { if case .absent = client.state { true } else { false } }
    if talks { close(peer) }
    client.stop()
  }

  @Test("a client that is stopped, or simply dropped, leaves nothing behind")
  func stopping() async throws {
    let bus = try PrivateBus()
    let witness = try await bus.client()
    for round in 0..<10 {
      let client = try await bus.client()
      _ = client.watchName(Self.name) { _ in }
      client.call(MethodCall(Self.name, "/", "a.b", "C")) { _ in }
      if round % 2 == 0 { client.stop() }
    }
    // In the middle of connecting, too.
    for _ in 0..<10 { BusClient(bus.address).stop() }
    var connections = 0
    for _ in 0..<1_000 {
      connections = try await witness.connections()
      if connections == 1 { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(connections == 1)
    witness.stop()
  }
}
