import BLELink
import DBus
import TestSupport
import Testing

@testable import BlueZ

extension BlueZRadioTests {
  // MARK: Out

  @Test("whole packets go without an answer, but now and then; then the device's answer is awaited")
  func window() async throws {
    let (fake, radio, _, path) = try await beginConnected()
    var outcomes: [ChunkOutcome] = []
    let packet = whole(60)
    for _ in 0..<20 { outcomes.append(send(radio, packet, path)) }
    #expect(outcomes == Array(repeating: .taken, count: 16) + Array(repeating: .full, count: 4))
    try await eventually("writable") { log.writable == [path] }
    #expect(fake.count("char0001 WriteValue command") == 15)
    #expect(fake.count("char0001 WriteValue request") == 1)
    #expect(fake.written == Array(repeating: packet, count: 16))
    #expect(send(radio, packet, path) == .taken)
    radio.stop()
    fake.stop()
  }

  @Test("the parts of a longer packet each wait for the device's answer to the one before")
  func parts() async throws {
    let (fake, radio, _, path) = try await beginConnected()
    let packet: [UInt8] = whole(60)
    var first = packet
    (first[6], first[7]) = (0, 100)  // 144 bytes in all: 84 more
    let chunks = [first, Array(repeating: 1, count: 60), Array(repeating: 2, count: 24)]
    #expect(send(radio, packet, path) == .taken)
    for chunk in chunks + [packet] {
      while send(radio, chunk, path) == .full {
        let told = log.writable.count
        try await eventually("writable") { log.writable.count > told }
      }
    }
    try await eventually("written") { fake.written.count == 5 }
    #expect(fake.written == [packet] + chunks + [packet])
    #expect(fake.count("char0001 WriteValue request") == 3)
    #expect(fake.count("char0001 WriteValue command") == 2)
    radio.stop()
    fake.stop()
  }

  @Test("a write that is refused ends the path, which is brought up again while there is a service")
  func refusedWrite() async throws {
    let (fake, radio, _, path) = try await beginConnected()
    fake.refusals["WriteValue"] = MethodError(name: "org.bluez.Error.Failed", "unlikely")
    #expect(send(radio, whole(60), path) == .taken)
    try await eventually("down") { log.events.contains("path down client") }
    #expect(send(radio, whole(60), path) == .gone)
    fake.refusals["WriteValue"] = nil
    try await eventually("up") { log.path(.client) != nil }
    #expect(log.path(.client) != path)
    radio.stop()
    fake.stop()
  }

  @Test("the room for chunks follows the MTU")
  func mtu() async throws {
    let (fake, radio, device, path) = try await beginConnected()
    fake.change(fake.inbox(of: device), BlueZ.characteristic, ["MTU": .uint16(23)])
    try await eventually("changed") { log.limits[path] != nil }
    #expect(log.limits[path] == 20)
    radio.stop()
    fake.stop()
  }

  // MARK: In

  @Test("notifications of the outbox come in, those of others do not")
  func notifications() async throws {
    let (fake, radio, device, path) = try await beginConnected()
    fake.client.emitChanged(
      fake.inbox(of: device), BlueZ.characteristic, ["Value": .bytes([9])])
    fake.notify(device, [])
    fake.notify(device, [1, 2, 3])
    try await eventually("received") { !log.received.isEmpty }
    #expect(log.received.map(\.bytes) == [[1, 2, 3]])
    #expect(log.received.map(\.path) == [path])
    radio.stop()
    fake.stop()
  }

  @Test("a device's first write brings up its path, on which notifications go back")
  func serving() async throws {
    let (fake, radio, _) = try await begin()
    let device = fake.addDevice(connected: true, resolved: false)
    let outbox = ObjectPath("\(try #require(fake.application))/service/outbox") ?? "/"
    #expect(await fake.ask(outbox, BlueZ.characteristic, "StartNotify").error == nil)
    #expect(await fake.write([1, 2], from: device).error == nil)
    #expect(await fake.write([3], from: device).error == nil)
    let path = try #require(log.path(.server))
    #expect(log.paths[path]?.chunkLimit == 244)
    #expect(log.received.map(\.bytes) == [[1, 2], [3]])
    var values: [[UInt8]] = []
    let rule = SignalRule(
      sender: try #require(fake.node), interface: BlueZ.properties, member: "PropertiesChanged",
      path: outbox)
    _ = fake.client.subscribe(rule) { signal in
      if let value = signal.arguments[1].properties?["Value"]?.bytes { values.append(value) }
    }
    let outcomes = (0..<10).map { send(radio, [UInt8($0)], path) }
    #expect(outcomes.count { $0 == .taken } == 8)
    try await eventually("writable") { log.writable == [path] }
    #expect(values == (0..<8).map { [UInt8($0)] })
    // The last has left.
    #expect(await fake.ask(outbox, BlueZ.characteristic, "StopNotify").error == nil)
    #expect(log.path(.server) == nil)
    #expect(send(radio, [1], path) == .gone)
    radio.stop()
    fake.stop()
  }

  @Test("what is no write of a device is refused, and brings up nothing")
  func refusedWrites() async throws {
    let (fake, radio, _) = try await begin()
    let device = fake.addDevice(connected: true)
    let stranger = BusClient(.address(bus.addressText))
    try await eventually("connected") { stranger.isConnected }
    #expect(
      await fake.write([1], from: device, by: stranger).error?.name
        == "org.bluez.Error.NotAuthorized")
    #expect(
      await fake.write([1], from: device, options: ["offset": .uint16(5)]).error?.name
        == "org.bluez.Error.InvalidOffset")
    #expect(
      await fake.write([1], from: device, options: ["device": .byte(1)]).error?.name
        == MethodError.Kind.invalidArguments.rawValue)
    #expect(await fake.write([], from: device).error == nil)
    // Of a device that nobody knows.
    #expect(await fake.write([1], from: "/org/bluez/hci0/dev_8").error == nil)
    #expect(log.paths.isEmpty)
    #expect(log.received.isEmpty)
    #expect(radio.statistics.first { $0.name == "bluez-refused-writes" }?.value == 4)
    stranger.stop()
    radio.stop()
    fake.stop()
  }
}
