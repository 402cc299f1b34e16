import BLELink
import DBus
import TestSupport
import Testing

@testable import BlueZ

/// Everything that comes and goes.
extension BlueZRadioTests {
  @Test("a device that disconnects, or loses its service, loses its paths at once")
  func pathsEnd() async throws {
    let (fake, radio, device, _) = try await beginConnected()
    #expect(await fake.write([1], from: device).error == nil)
    #expect(log.paths.count == 2)
    fake.remove(fake.outbox(of: device))
    try await eventually("down") { log.path(.client) == nil }
    #expect(log.path(.server) != nil)
    // The device restarted: its service is there again under another handle.
    fake.addService(to: device, at: 20)
    try await eventually("up") { log.path(.client) != nil }
    fake.change(device, BlueZ.device, ["Connected": .bool(false)])
    try await eventually("down") { log.paths.isEmpty }
    radio.stop()
    fake.stop()
  }

  @Test("a controller that is switched off and on is another one, and everything is said again")
  func power() async throws {
    let (fake, radio, device, path) = try await beginConnected()
    fake.change(
      "/org/bluez/hci0", BlueZ.adapter, ["Powered": .bool(false), "PowerState": .string("off")])
    try await eventually("down") { log.adapters.isEmpty }
    #expect(log.troubles[.adapterOff]?.hint == "bluetoothctl power on")
    #expect(send(radio, whole(60), path) == .gone)
    fake.change(device, BlueZ.device, ["Connected": .bool(false)])
    fake.change("/org/bluez/hci0", BlueZ.adapter, ["PowerState": .string("off-blocked")])
    try await eventually("blocked") {
      log.troubles[.adapterOff]?.hint == "rfkill unblock bluetooth"
    }
    fake.change(
      "/org/bluez/hci0", BlueZ.adapter, ["Powered": .bool(true), "PowerState": .string("on")])
    try await eventually("up") { log.adapters.count == 1 }
    #expect(log.troubles.isEmpty)
    #expect(fake.count("hci0 RegisterApplication") == 2)
    #expect(fake.count("hci0 UnregisterApplication") == 1)
    radio.stop()
    fake.stop()
  }

  @Test("a controller that is pulled out and comes back under another name is used again")
  func renamed() async throws {
    let (fake, radio, _, _) = try await beginConnected()
    fake.remove("/org/bluez/hci0")
    try await eventually("down") { log.adapters.isEmpty && log.troubles[.noAdapter] != nil }
    fake.addAdapter("hci3")
    try await eventually("up") { log.adapters.values.first?.name == "hci3" }
    #expect(log.troubles.isEmpty)
    radio.stop()
    fake.stop()
  }

  @Test("two controllers are both used, unless one is asked for", arguments: [nil, "hci1"])
  func two(wanted: String?) async throws {
    let fake = try await FakeBlueZ(on: bus)
    fake.addAdapter("hci0")
    fake.addAdapter("hci1", address: "00:AA:01:01:00:01")
    let radio = radio(wanted)
    let names: Set = wanted == nil ? ["hci0", "hci1"] : ["hci1"]
    try await eventually("up") { Set(log.adapters.values.map(\.name)) == names }
    #expect(fake.count("hci0 RegisterApplication") == (wanted == nil ? 1 : 0))
    radio.stop()
    fake.stop()
  }

  @Test("a bluetoothd that dies takes all with it, and the one that comes is begun with anew")
  func daemonRestarts() async throws {
    let (fake, radio, _, path) = try await beginConnected()
    fake.stop()
    try await eventually("down") { log.adapters.isEmpty && log.troubles[.noStack] != nil }
    #expect(log.troubles[.noStack]?.hint == "systemctl start bluetooth")
    #expect(send(radio, whole(60), path) == .gone)
    let next = try await FakeBlueZ(on: bus)
    next.addAdapter()
    try await eventually("up") { log.adapters.count == 1 }
    #expect(log.troubles.isEmpty)
    #expect(log.events.count { $0.hasPrefix("trouble") } == 1)
    radio.stop()
    next.stop()
  }

  @Test("connections that were there before are adopted")
  func adoption() async throws {
    let fake = try await FakeBlueZ(on: bus)
    fake.addAdapter()
    let device = fake.addDevice()
    fake.connect(device)
    let radio = radio()
    try await eventually("path") { log.path(.client) != nil }
    #expect(!fake.calls.contains("dev_1 Connect"))
    radio.stop()
    try await eventually("disconnected") { fake.count("dev_1 Disconnect") == 1 }
    fake.stop()
  }

  @Test("what is missing is said with what helps; where nobody asked for Bluetooth it is a remark")
  func troubles() async throws {
    let radio = radio()
    try await eventually("absent") { log.troubles[.noStack] != nil }
    let quiet = BlueZRadio(adapter: nil, on: .address(bus.addressText), limits: .quick)
    let quietLog = RadioLog()
    var remarks: [String] = []
    quiet.observer = quietLog
    quiet.remark = { remarks.append($0) }
    quiet.start()
    try await eventually("remark") { remarks == ["no Bluetooth: bluetoothd does not run"] }
    let fake = try await FakeBlueZ(on: bus)
    try await eventually("no adapter") { log.troubles.keys.map(\.self) == [.noAdapter] }
    fake.refusals["RegisterApplication"] = MethodError(.accessDenied, "not for you")
    fake.addAdapter()
    try await eventually("refused") { log.troubles.keys.map(\.self) == [.noPermission] }
    fake.refusals = [:]
    try await eventually("up") { log.adapters.count == 1 && quietLog.adapters.count == 1 }
    #expect(log.troubles.isEmpty)
    #expect(quietLog.troubles.isEmpty)
    // Now that it was there it is missed.
    fake.stop()
    try await eventually("missed") { quietLog.troubles[.noStack] != nil }
    radio.stop()
    quiet.stop()
  }

  @Test("without a bus there is no Bluetooth, and a bus that comes is found")
  func noBus() async throws {
    bus.kill()
    let radio = radio()
    try await eventually("absent") { log.troubles[.noStack] != nil }
    bus.start()
    let fake = try await FakeBlueZ(on: bus)
    fake.addAdapter()
    try await eventually("up") { log.adapters.count == 1 }
    radio.stop()
    fake.stop()
  }

  @Test("after all of it as much is held as at the start, and after suspend objects are read again")
  func leaks() async throws {
    let (fake, radio, adapter) = try await begin()
    func held() -> [String: Int] {
      Dictionary(uniqueKeysWithValues: radio.statistics.filter { $0.name.hasPrefix("bus-") })
    }
    radio.setAdvertising(true, on: adapter)
    try await eventually("advertised") { fake.advertisement != nil }
    try await eventually("answered") { held()["bus-calls"] == 0 }
    let before = held()
    for _ in 0..<5 {
      fake.connect(fake.addDevice())
      try await eventually("path") { log.path(.client) != nil }
      fake.remove("/org/bluez/hci0/dev_1")
      try await eventually("down") { log.paths.isEmpty }
      fake.change("/org/bluez/hci0", BlueZ.adapter, ["Powered": .bool(false)])
      try await eventually("down") { log.adapters.isEmpty }
      fake.change("/org/bluez/hci0", BlueZ.adapter, ["Powered": .bool(true)])
      try await eventually("up") { log.adapters.count == 1 }
    }
    radio.setAdvertising(true, on: try #require(log.adapters.keys.first))
    try await eventually("as before") { held() == before }
    // What was missed while asleep is found.
    let device = fake.addDevice()
    fake.connect(device)
    try await eventually("path") { log.path(.client) != nil }
    radio.systemResumed()
    radio.systemResumed()
    #expect(await fake.ask("/", "a.b", "C").error != nil)
    #expect(log.path(.client) != nil)
    radio.stop()
    fake.stop()
  }
}
