import Glibc
import TestSupport
import Testing

@testable import DBus

/// The client on a real dbus-daemon, which comes, goes and misbehaves.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"))
@MainActor
struct BusClientTests {
  static let name = "org.airlink.Test"
  let bus: PrivateBus

  init() throws { bus = try PrivateBus() }

  func call(_ member: String, _ arguments: [Value] = []) -> MethodCall {
    MethodCall(Self.name, "/thing", "org.airlink.Thing", member, arguments)
  }

  /// A service with one object that does a few things.
  func service() async throws -> BusClient {
    let service = try await bus.service(Self.name)
    service.export(
      "/thing",
      [
        ExportedInterface(
          "org.airlink.Thing",
          methods: [
            "Echo": { .success($0.arguments) },
            "Fail": { _ in .failure(MethodError(name: "org.airlink.Error.No", "never")) },
            "Sender": { .success([.string($0.sender)]) },
          ],
          properties: { ["Colour": .string("green"), "Size": .uint16(3)] })
      ])
    return service
  }

  // MARK: Calls

  @Test("a call is answered with what the method returned, or refused with its error")
  func calls() async throws {
    let (service, client) = (try await service(), try await bus.client())
    let arguments: [Value] = [.string("x"), .bytes([1, 2]), .properties(["a": .bool(true)])]
    #expect(await client.call(call("Echo", arguments)) == .success(arguments))
    #expect(
      await client.call(call("Fail"))
        == .failure(.refused(name: "org.airlink.Error.No", message: "never")))
    let sender = try #require(client.uniqueName)
    #expect(await client.call(call("Sender")) == .success([.string(sender)]))
    #expect(client.statistic("calls") == 0)
    service.stop()
    client.stop()
  }

  @Test("what cannot be called is refused, and the answer never comes from within the call")
  func refusals() async throws {
    let (service, client) = (try await service(), try await bus.client())
    let unknown = await client.call(call("Nothing"))
    #expect(unknown.error?.name == "org.freedesktop.DBus.Error.UnknownMethod")
    let nobody = await client.call(MethodCall("org.airlink.Nobody", "/", "a.b", "C"))
    #expect(nobody.error?.name == "org.freedesktop.DBus.Error.ServiceUnknown")
    for wrong in [
      MethodCall("not a name", "/", "a.b", "C"), MethodCall(Self.name, "/", "nodots", "C"),
      MethodCall(Self.name, "/", "a.b", "not-a-member"),
      MethodCall(Self.name, "/", "a.b", "C", [.string("\0")]),
    ] {
      var isAnswered = false
      client.call(wrong) { result in
        if case .failure(.unspeakable) = result { isAnswered = true }
      }
      #expect(!isAnswered)
      try await eventually("refused") { isAnswered }
    }
    service.stop()
    client.stop()
    #expect(await client.call(call("Echo")) == .failure(.notConnected))
  }

  @Test("a service that does not answer, or vanishes in a call, is waited for no longer")
  func vanishing() async throws {
    let client = try await bus.client()
    let service = try await bus.service(Self.name)
    // Nothing is served while it is silent: its turns are this test's own.
    let silent = try Silent(bus.address, named: "org.airlink.Silent")
    let to = MethodCall("org.airlink.Silent", "/", "a.b", "C")
    #expect(await client.call(to, timeout: .milliseconds(30)) == .failure(.timedOut))
    var result: Result<[Value], BusError>?
    client.call(to) { result = $0 }
    silent.close()
    try await eventually("answered") { result != nil }
    #expect(result?.error?.name == "org.freedesktop.DBus.Error.NoReply")
    service.stop()
    client.stop()
  }

  @Test("a call taken back is not answered, and leaves nothing behind")
  func cancelling() async throws {
    let (service, client) = (try await service(), try await bus.client())
    var answers = 0
    let tokens = (0..<50).map { _ in client.call(call("Echo")) { _ in answers += 1 } }
    for token in tokens { client.cancel(token) }
    #expect(client.statistic("calls") == 0)
    #expect(await client.call(call("Echo")) == .success([]))
    #expect(answers == 0)
    service.stop()
    client.stop()
  }

  @Test("calls under way are bounded, and so is what waits to be sent to a bus that stands still")
  func bounds() async throws {
    let client = try await bus.client()
    bus.pause()
    var refused = 0
    for _ in 0..<BusClient.maximumCalls + 5 {
      client.call(call("Echo")) { result in
        if result == .failure(.overloaded) { refused += 1 }
      }
    }
    try await eventually("refused") { refused == 5 }
    let large = Value.bytes(Array(repeating: 1, count: 100_000))
    var sent = 0
    while client.emit("/x", "a.b", "C", [large]) == nil, sent < 1_000 { sent += 1 }
    #expect(sent < 200)
    #expect(client.outgoingBytes <= BusClient.maximumOutgoing + 200_000)
    bus.resume()
    try await eventually("answered") { client.statistic("calls") == 0 }
    client.stop()
  }

  // MARK: Objects

  @Test("properties can be read, not set, and a manager tells of all objects below it")
  func objects() async throws {
    let (service, client) = (try await service(), try await bus.client())
    service.exportManager("/")
    let properties = "org.freedesktop.DBus.Properties"
    func ask(_ member: String, _ arguments: [Value]) async -> Result<[Value], BusError> {
      await client.call(MethodCall(Self.name, "/thing", properties, member, arguments))
    }
    let thing = Value.string("org.airlink.Thing")
    #expect(await ask("Get", [thing, .string("Size")]) == .success([.variant(.uint16(3))]))
    #expect(
      await ask("Get", [thing, .string("Age")]).error?.name
        == MethodError.Kind.unknownProperty.rawValue)
    #expect(await ask("Get", [.byte(1)]).error?.name == MethodError.Kind.invalidArguments.rawValue)
    #expect(
      await ask("Set", [thing, .string("Size"), .variant(.uint16(4))]).error?.name
        == MethodError.Kind.propertyReadOnly.rawValue)
    let all = try await ask("GetAll", [thing]).get()
    #expect(all.first?.properties == ["Colour": .string("green"), "Size": .uint16(3)])
    let manager = MethodCall(
      Self.name, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    let managed = try await client.call(manager).get()
    #expect(managed.first?.entries?.map(\.key) == [.path("/thing")])
    service.unexport("/thing")
    #expect(try await client.call(manager).get().first?.entries?.isEmpty == true)
    #expect(await client.call(call("Echo")).error != nil)
    service.unexport("/")
    #expect(service.statistic("objects") == 0)
    service.stop()
    client.stop()
  }

  @Test("descriptors pass both ways, and none stays open that nobody took")
  func descriptors() async throws {
    let (service, client) = (try await service(), try await bus.client())
    for _ in 0..<20 {
      var ends: [CInt] = [0, 0]
      // Other tests start daemons meanwhile, which are not to have them.
      #expect(pipe(&ends) == 0)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let (reading, writing) = (ends[0], ends[1])
      do {
        let sent = Value.descriptor(FileDescriptor(writing))
        let came = try await client.call(call("Echo", [sent])).get()
        let number = try #require(came.first?.descriptor).take()
        #expect(write(number, "x", 1) == 1)
        close(number)
        // To one who has no such method, and to one who does not look at it.
        #expect(await client.call(call("Nothing", [sent])).error != nil)
        #expect(await client.call(call("Sender", [sent])).error == nil)
        client.emit("/x", "a.b", "C", [sent], to: service.uniqueName)
      }
      var byte: UInt8 = 0
      #expect(read(reading, &byte, 1) == 1)
      // The pipe ends when nobody has its other end any more: neither side, nor the bus.
      #expect(fcntl(reading, F_SETFL, O_NONBLOCK) == 0)
      try await eventually("closed") { read(reading, &byte, 1) == 0 }
      close(reading)
    }
    service.stop()
    client.stop()
  }
}

extension Result {
  var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
