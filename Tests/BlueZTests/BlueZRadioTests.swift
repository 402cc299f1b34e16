import BLELink
import DBus
import TestSupport
import Testing

@testable import BlueZ

/// The backend against a made-up bluetoothd, over a real bus.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"))
@MainActor
struct BlueZRadioTests {
  let bus: PrivateBus
  let log = RadioLog()

  init() throws { bus = try PrivateBus() }

  func radio(_ adapter: String? = nil) -> BlueZRadio {
    let radio = BlueZRadio(adapter: adapter, on: .address(bus.addressText), limits: .quick)
    radio.observer = log
    radio.start()
    return radio
  }

  /// A radio on a bluetoothd with one controller, which is up.
  func begin() async throws -> (FakeBlueZ, BlueZRadio, AdapterID) {
    let fake = try await FakeBlueZ(on: bus)
    fake.addAdapter()
    let radio = radio()
    try await eventually("up") { log.adapters.count == 1 }
    return (fake, radio, try #require(log.adapters.keys.first))
  }

  /// A radio with one device, connected by us.
  func beginConnected() async throws -> (FakeBlueZ, BlueZRadio, ObjectPath, PathID) {
    let (fake, radio, adapter) = try await begin()
    radio.setScanning(true, on: adapter)
    try await eventually("scanning") { fake.count("hci0 StartDiscovery") == 1 }
    let device = fake.addDevice()
    try await eventually("sighted") { log.sightings.count == 1 }
    fake.onConnect = { fake.connect($0, isTold: false) }
    radio.setScanning(false, on: adapter)
    radio.connect(to: try #require(log.sightings.first))
    try await eventually("path") { log.path(.client) != nil }
    return (fake, radio, device, try #require(log.path(.client)))
  }

  func send(_ radio: BlueZRadio, _ bytes: [UInt8], _ path: PathID) -> ChunkOutcome {
    radio.send(bytes.span.bytes, on: path)
  }

  /// A whole packet in one chunk, as far as its length tells.
  func whole(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: count)
    (bytes[0], bytes[1]) = (0xA1, 0x1C)
    (bytes[6], bytes[7]) = (0, UInt8(count - 44))
    return bytes
  }

  // MARK: Being found

  @Test("a controller is up when its application is registered, with the service as it must be")
  func application() async throws {
    let (fake, radio, _) = try await begin()
    #expect(log.adapters.values.first?.name == "hci0")
    let root = try #require(fake.application)
    let managed = try await fake.ask(root, BlueZ.objectManager, "GetManagedObjects").get()
    let objects = try #require(managed.first?.entries)
    #expect(objects.map { $0.key.path?.name } == ["service", "inbox", "outbox"])
    let service = objects[0].value.properties?[BlueZ.gattService]?.properties
    #expect(service?["UUID"] == .string(AirLinkUUID.service))
    #expect(service?["Primary"] == .bool(true))
    let inbox = objects[1].value.properties?[BlueZ.characteristic]?.properties
    #expect(inbox?["UUID"] == .string(AirLinkUUID.inbox))
    #expect(inbox?["Flags"]?.strings == ["write-without-response", "write"])
    let outbox = objects[2].value.properties?[BlueZ.characteristic]?.properties
    #expect(outbox?["UUID"] == .string(AirLinkUUID.outbox))
    #expect(outbox?["Flags"]?.strings == ["notify"])
    #expect(outbox?["Service"] == .path(ObjectPath("\(root)/service") ?? "/"))
    radio.stop()
    fake.stop()
  }

  @Test("the advertisement holds the service's UUID alone, and is begun again when taken down")
  func advertising() async throws {
    let (fake, radio, adapter) = try await begin()
    radio.setAdvertising(true, on: adapter)
    try await eventually("advertised") { fake.advertisement != nil }
    let path = try #require(fake.advertisement)
    let all = try await fake.ask(
      path, BlueZ.properties, "GetAll", [.string(BlueZ.advertisement)]
    ).get()
    #expect(
      all.first?.properties
        == ["Type": .string("peripheral"), "ServiceUUIDs": .strings([AirLinkUUID.service])])
    #expect(await fake.ask(path, BlueZ.advertisement, "Release").error == nil)
    #expect(log.events.last == "advertising ended")
    radio.setAdvertising(true, on: adapter)
    try await eventually("again") { fake.count("hci0 RegisterAdvertisement") == 2 }
    radio.setAdvertising(false, on: adapter)
    try await eventually("off") { fake.count("hci0 UnregisterAdvertisement") == 1 }
    fake.refusals["RegisterAdvertisement"] = MethodError(
      name: "org.bluez.Error.NotPermitted", "Maximum advertisements reached")
    radio.setAdvertising(true, on: adapter)
    try await eventually("refused") { log.troubles[.noRole] != nil }
    #expect(log.events.contains("advertising ended"))
    radio.stop()
    fake.stop()
  }

  // MARK: Finding

  @Test("scanning asks for LE and our UUID, and tells of devices that have it alone")
  func scanning() async throws {
    let (fake, radio, adapter) = try await begin()
    fake.addDevice(9)
    try await eventually("known") {
      radio.statistics.contains { $0.name == "bluez-devices" && $0.value == 1 }
    }
    radio.setScanning(true, on: adapter)
    try await eventually("scanning") { fake.count("hci0 StartDiscovery") == 1 }
    #expect(
      fake.filter == ["UUIDs": .strings([AirLinkUUID.service]), "Transport": .string("le")])
    fake.addDevice(1)
    fake.addDevice(2, uuids: ["0000180a-0000-1000-8000-00805f9b34fb"])
    fake.change(fake.path("hci0/dev_1"), BlueZ.device, ["RSSI": .int16(-50)])
    try await eventually("sighted") { log.sightings.count == 2 }
    #expect(Set(log.sightings.map { "\($0.address)" }) == ["00:AA:01:01:00:01"])
    radio.stop()
    fake.stop()
  }

  @Test("discovery that rests goes on; one that rests too long has ended")
  func rest() async throws {
    let (fake, radio, adapter) = try await begin()
    radio.setScanning(true, on: adapter)
    try await eventually("scanning") { fake.count("hci0 StartDiscovery") == 1 }
    fake.change("/org/bluez/hci0", BlueZ.adapter, ["Discovering": .bool(true)])
    fake.change("/org/bluez/hci0", BlueZ.adapter, ["Discovering": .bool(false)])
    fake.change("/org/bluez/hci0", BlueZ.adapter, ["Discovering": .bool(true)])
    #expect(await fake.ask("/", "a.b", "C").error != nil)
    #expect(!log.events.contains("scan ended"))
    fake.change("/org/bluez/hci0", BlueZ.adapter, ["Discovering": .bool(false)])
    try await eventually("ended") { log.events.contains("scan ended") }
    radio.stop()
    fake.stop()
  }

  // MARK: Connecting

  @Test("scanning is off before a connection is made")
  func order() async throws {
    let (fake, radio, _, _) = try await beginConnected()
    let stop = try #require(fake.calls.firstIndex(of: "hci0 StopDiscovery"))
    let connect = try #require(fake.calls.firstIndex(of: "dev_1 Connect"))
    #expect(stop < connect)
    #expect(fake.calls.contains("char0002 StartNotify"))
    #expect(log.paths.values.first?.chunkLimit == 514)
    radio.stop()
    // Nothing of ours stays connected.
    try await eventually("disconnected") { fake.count("dev_1 Disconnect") == 1 }
    fake.stop()
  }

  @Test("when both sides connect at once, what counts is that there is a connection")
  func bothSides() async throws {
    let (fake, radio, adapter) = try await begin()
    radio.setScanning(true, on: adapter)
    try await eventually("scanning") { fake.count("hci0 StartDiscovery") == 1 }
    let device = fake.addDevice()
    try await eventually("sighted") { log.sightings.count == 1 }
    fake.refusals["Connect"] = MethodError(
      name: "org.bluez.Error.Failed", "le-connection-abort-by-local")
    // The other side's connection is there before ours is refused.
    fake.connect(device)
    try await eventually("path") { log.path(.client) != nil }
    radio.connect(to: try #require(log.sightings.first))
    #expect(await fake.ask("/", "a.b", "C").error != nil)
    #expect(log.ended.isEmpty)
    radio.stop()
    fake.stop()
  }

  @Test(
    "a failed attempt says why",
    arguments: [
      ("org.bluez.Error.Failed", "unreachable"), ("org.bluez.Error.InProgress", "busy"),
      ("org.bluez.Error.NotSupported", "failed"),
    ])
  func failures(name: String, kind: String) async throws {
    let (fake, radio, adapter) = try await begin()
    radio.setScanning(true, on: adapter)
    try await eventually("scanning") { fake.count("hci0 StartDiscovery") == 1 }
    fake.addDevice()
    try await eventually("sighted") { log.sightings.count == 1 }
    fake.refusals["Connect"] = MethodError(name: name, "no")
    radio.connect(to: try #require(log.sightings.first))
    try await eventually("ended") { log.ended.count == 1 }
    #expect("\(log.ended[0])".hasPrefix(kind))
    radio.stop()
    fake.stop()
  }

  @Test(
    "a service with another layout is refused, and its connection ended",
    arguments: [
      (inbox: ["write"], outbox: ["notify"]), (["write-without-response"], ["indicate"]),
      ([], []),
    ])
  func layout(inbox: [String], outbox: [String]) async throws {
    let (fake, radio, adapter) = try await begin()
    radio.setScanning(true, on: adapter)
    try await eventually("scanning") { fake.count("hci0 StartDiscovery") == 1 }
    fake.addDevice()
    try await eventually("sighted") { log.sightings.count == 1 }
    fake.onConnect = { device in
      fake.change(device, BlueZ.device, ["Connected": .bool(true)])
      fake.addService(to: device, inbox: inbox, outbox: outbox)
      fake.change(device, BlueZ.device, ["ServicesResolved": .bool(true)])
    }
    radio.connect(to: try #require(log.sightings.first))
    try await eventually("ended") { log.ended.count == 1 }
    #expect("\(log.ended[0])".hasPrefix("wrongLayout"))
    try await eventually("disconnected") { fake.count("dev_1 Disconnect") == 1 }
    #expect(log.paths.isEmpty)
    radio.stop()
    fake.stop()
  }

  @Test("a device that is forgotten is removed from bluetoothd, and found anew")
  func forgetting() async throws {
    let (fake, radio, adapter) = try await begin()
    radio.setScanning(true, on: adapter)
    try await eventually("scanning") { fake.count("hci0 StartDiscovery") == 1 }
    fake.addDevice()
    try await eventually("sighted") { log.sightings.count == 1 }
    radio.forget(try #require(log.sightings.first))
    try await eventually("removed") { fake.count("hci0 RemoveDevice") == 1 }
    radio.connect(to: try #require(log.sightings.first))
    try await eventually("ended") { log.ended.count == 1 }
    fake.addDevice()
    try await eventually("sighted") { log.sightings.count == 2 }
    radio.stop()
    fake.stop()
  }

  @Test("a subscription that is refused is tried again")
  func subscribing() async throws {
    let (fake, radio, _) = try await begin()
    fake.refusals["StartNotify"] = MethodError(name: "org.bluez.Error.Failed", "not now")
    fake.connect(fake.addDevice())
    try await eventually("tried") { fake.count("char0002 StartNotify") >= 2 }
    fake.refusals["StartNotify"] = nil
    try await eventually("path") { log.path(.client) != nil }
    radio.stop()
    fake.stop()
  }
}

extension Result {
  var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
