import TestSupport
import Testing

@testable import DBus

/// Signals and names on a real dbus-daemon.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"))
@MainActor
struct BusSignalTests {
  static let name = "org.airlink.Test"
  let bus: PrivateBus

  init() throws { bus = try PrivateBus(maximumRules: 8) }

  func rule(
    path: ObjectPath? = nil, below: ObjectPath? = nil, firstArgument: String? = nil
  ) -> SignalRule {
    SignalRule(
      sender: Self.name, interface: "org.airlink.Thing", member: "Changed", path: path,
      below: below, firstArgument: firstArgument)
  }

  @Test("a signal is heard by whom its sender, path and first argument suit")
  func hearing() async throws {
    let client = try await bus.client()
    var heard: [String: Int] = [:]
    let rules = [
      "all": rule(), "one": rule(path: "/a/b"), "below": rule(below: "/a"),
      "first": rule(firstArgument: "x"),
    ]
    let tokens = rules.map { name, rule in
      client.subscribe(rule) { _ in heard[name, default: 0] += 1 }
    }
    let service = try await bus.service(Self.name)
    try await eventually("known") { client.owner(of: Self.name) == service.uniqueName }
    for path in ["/a", "/a/b", "/ab"] as [ObjectPath] {
      for text in ["x", "y"] {
        service.emit(path, "org.airlink.Thing", "Changed", [.string(text)])
      }
    }
    service.emit("/a", "org.airlink.Thing", "Other", [])
    service.emit("/a", "org.airlink.Other", "Changed", [])
    service.emit("/end", "org.airlink.Thing", "Changed", [.string("x")])
    try await eventually("heard") { heard["all"] == 7 }
    #expect(heard == ["all": 7, "one": 2, "below": 4, "first": 4])
    for token in tokens { client.cancel(token) }
    #expect(client.statistics.allSatisfy { $0.value == 0 || $0.name == "calls" })
    service.stop()
    client.stop()
  }

  @Test("what others send in the name of a service is not heard")
  func spoofing() async throws {
    let (client, stranger) = (try await bus.client(), try await bus.client())
    var heard: [String] = []
    let token = client.subscribe(rule()) { heard.append($0.arguments.first?.string ?? "") }
    let service = try await bus.service(Self.name)
    try await eventually("known") { client.owner(of: Self.name) != nil }
    // Sent to this client alone, it comes whether or not a rule asks for it.
    for _ in 0..<3 {
      #expect(
        stranger.emit(
          "/a", "org.airlink.Thing", "Changed", [.string("false")], to: client.uniqueName) == nil)
    }
    // The bus keeps the order of one sender; both are sent before the true one by asking it.
    let ping = MethodCall("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId")
    #expect(await stranger.call(ping).error == nil)
    service.emit("/a", "org.airlink.Thing", "Changed", [.string("true")])
    try await eventually("heard") { !heard.isEmpty }
    #expect(heard == ["true"])
    client.cancel(token)
    for one in [client, stranger, service] { one.stop() }
  }

  @Test("a rule wanted twice is told once, and taken back with the last who wants it")
  func sharing() async throws {
    let client = try await bus.client()
    let first = client.subscribe(rule()) { _ in }
    let second = client.subscribe(rule()) { _ in }
    // The signals' and that of the name's owner.
    #expect(client.statistic("rules") == 2)
    client.cancel(first)
    #expect(client.statistic("rules") == 2)
    client.cancel(second)
    client.cancel(second)
    #expect(client.statistic("rules") == 0)
    #expect(client.statistic("names") == 0)
    try await eventually("answered") { client.statistic("calls") == 0 }
    client.stop()
  }

  @Test("subscribing and taking back leaves no rule on the bus, which has a limit of them")
  func leaks() async throws {
    let client = try await bus.client()
    for round in 0..<40 {
      let token = client.subscribe(rule(firstArgument: "\(round)")) { _ in }
      client.cancel(token)
    }
    try await eventually("answered") { client.statistic("calls") == 0 }
    #expect(client.statistic("refused-rules") == 0)
    // And more at a time than the bus allows is counted.
    for round in 0..<10 { _ = client.subscribe(rule(firstArgument: "\(round)")) { _ in } }
    try await eventually("answered") { client.statistic("calls") == 0 }
    #expect(client.statistic("refused-rules") == 3)
    client.stop()
  }

  @Test("a name's owner is told at once, and when it changes")
  func names() async throws {
    let client = try await bus.client()
    var owners: [String?] = []
    let token = client.watchName(Self.name) { owners.append($0) }
    try await eventually("told") { owners.count == 1 }
    let service = try await bus.service(Self.name)
    try await eventually("told") { owners.count == 2 }
    var later: [String?] = []
    let another = client.watchName(Self.name) { later.append($0) }
    #expect(later.isEmpty)
    try await eventually("told") { later.count == 1 }
    let owner = service.uniqueName
    service.stop()
    try await eventually("told") { owners.count == 3 && later.count == 2 }
    #expect(owners == [nil, owner, nil])
    #expect(later == [owner, nil])
    client.cancel(token)
    client.cancel(another)
    #expect(client.statistic("names") == 0)
    client.stop()
  }

  @Test("a flood is heard whole and in order, and others have their turn meanwhile")
  func flood() async throws {
    let client = try await bus.client()
    var (next, misplaced) = (0, 0)
    let token = client.subscribe(rule()) { signal in
      if signal.arguments.first?.integer != next { misplaced += 1 }
      next += 1
    }
    let service = try await bus.service(Self.name)
    try await eventually("known") { client.owner(of: Self.name) != nil }
    let padding = Value.bytes(Array(repeating: 1, count: 200))
    for number in 0..<5_000 {
      service.emit("/a", "org.airlink.Thing", "Changed", [.int64(Int64(number)), padding])
      // Nobody wants these.
      service.emit("/a", "org.airlink.Thing", "Other", [], to: client.uniqueName)
    }
    try await eventually("heard") { next == 5_000 }
    #expect(misplaced == 0)
    client.cancel(token)
    service.stop()
    client.stop()
  }
}
