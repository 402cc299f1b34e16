import BLELink
import DBus
import TestSupport
import Testing

@testable import BlueZ

/// A bluetoothd of a test's own, on a bus of its own: it shows what it is told to show, notes what
/// it is asked for, and answers as the test wants.
@MainActor
final class FakeBlueZ {
  static let inboxFlags = ["write-without-response", "write"]

  let client: BusClient
  /// Calls that came, as `hci0 StartDiscovery`, in order; a write with its type.
  private(set) var calls: [String] = []
  /// What was written to devices, in order.
  private(set) var written: [[UInt8]] = []
  private(set) var filter: [String: Value] = [:]
  private(set) var application: ObjectPath?
  private(set) var advertisement: ObjectPath?
  /// The node that registered.
  private(set) var node: String?
  /// What a method is refused with, by its name.
  var refusals: [String: MethodError] = [:]
  /// What happens when `Connect` is called on a device, before it is answered.
  var onConnect: (ObjectPath) -> Void = { _ in }

  private var objects: [ObjectPath: [String: [String: Value]]] = [:]

  init(on bus: PrivateBus) async throws {
    client = BusClient(.address(bus.addressText))
    let client = client
    try await eventually("connected") { client.isConnected }
    client.exportManager("/")
    var isNamed = false
    let request = MethodCall(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      [.string(BlueZ.service), .uint32(4)])
    client.call(request) { result in isNamed = result == .success([.uint32(1)]) }
    try await eventually("named") { isNamed }
  }

  /// As when the daemon ends.
  func stop() { client.stop() }

  func count(_ call: String) -> Int { calls.count { $0 == call } }

  // MARK: Objects

  func addAdapter(
    _ name: String = "hci0", powered: Bool = true, state: String? = nil,
    address: String = "00:AA:01:00:00:00"
  ) {
    var adapter: [String: Value] = [
      "Address": .string(address), "Powered": .bool(powered), "Discovering": .bool(false),
      "Roles": .strings(["central", "peripheral", "central-peripheral"]),
    ]
    adapter["PowerState"] = state.map { .string($0) }
    add(
      path(name),
      [BlueZ.adapter: adapter, BlueZ.gattManager: [:], BlueZ.advertisingManager: [:]])
  }

  func path(_ name: String) -> ObjectPath { ObjectPath("/org/bluez/\(name)") ?? "/" }

  /// A device that advertises our service, as discovery finds it.
  @discardableResult
  func addDevice(
    _ number: Int = 1, on adapter: String = "hci0", uuids: [String] = [AirLinkUUID.service],
    connected: Bool = false, resolved: Bool = false
  ) -> ObjectPath {
    let device = path("\(adapter)/dev_\(number)")
    let address = "00:AA:01:01:00:0\(number)"
    add(
      device,
      [
        BlueZ.device: [
          "Address": .string(address), "AddressType": .string("public"),
          "Adapter": .path(path(adapter)), "UUIDs": .strings(uuids), "RSSI": .int16(-60),
          "Connected": .bool(connected), "ServicesResolved": .bool(resolved),
        ]
      ])
    return device
  }

  /// Our service on a device, its characteristics told before it, as bluetoothd may.
  func addService(
    to device: ObjectPath, at number: Int = 10, inbox: [String] = inboxFlags,
    outbox: [String] = ["notify"], mtu: UInt16 = 517
  ) {
    let service = ObjectPath("\(device)/service00\(number)") ?? "/"
    for (name, uuid, flags) in [
      ("char0001", AirLinkUUID.inbox, inbox), ("char0002", AirLinkUUID.outbox, outbox),
    ] {
      add(
        ObjectPath("\(service)/\(name)") ?? "/",
        [
          BlueZ.characteristic: [
            "UUID": .string(uuid), "Service": .path(service), "Flags": .strings(flags),
            "MTU": .uint16(mtu),
          ]
        ])
    }
    add(
      service,
      [
        BlueZ.gattService: [
          "UUID": .string(AirLinkUUID.service.uppercased()), "Device": .path(device),
          "Primary": .bool(true),
        ]
      ])
  }

  func inbox(of device: ObjectPath, at number: Int = 10) -> ObjectPath {
    ObjectPath("\(device)/service00\(number)/char0001") ?? "/"
  }

  func outbox(of device: ObjectPath, at number: Int = 10) -> ObjectPath {
    ObjectPath("\(device)/service00\(number)/char0002") ?? "/"
  }

  /// A device that is connected, with its service found.
  ///
  /// bluetoothd 5.66 does not tell that it is connected when it was asked to connect.
  func connect(_ device: ObjectPath, isTold: Bool = true) {
    if isTold { change(device, BlueZ.device, ["Connected": .bool(true)]) }
    addService(to: device)
    change(device, BlueZ.device, ["ServicesResolved": .bool(true)])
  }

  func remove(_ path: ObjectPath) {
    for (inner, interfaces) in objects.sorted(by: { $0.key.description > $1.key.description })
    where inner.isWithin(path) {
      objects[inner] = nil
      client.unexport(inner)
      client.emit(
        "/", BlueZ.objectManager, "InterfacesRemoved",
        [.path(inner), .strings(Array(interfaces.keys))])
    }
  }

  func change(_ path: ObjectPath, _ interface: String, _ changed: [String: Value]) {
    objects[path]?[interface]?.merge(changed) { $1 }
    client.emitChanged(path, interface, changed)
  }

  func notify(_ device: ObjectPath, _ bytes: [UInt8]) {
    client.emitChanged(outbox(of: device), BlueZ.characteristic, ["Value": .bytes(bytes)])
  }

  private func add(_ path: ObjectPath, _ interfaces: [String: [String: Value]]) {
    objects[path] = interfaces
    client.export(path, interfaces.map { exported(path, $0.key) })
    client.emit(
      "/", BlueZ.objectManager, "InterfacesAdded",
      [
        .path(path),
        .dictionary(
          key: "s", value: "a{sv}",
          interfaces.map { Value.Entry(.string($0.key), .properties($0.value)) }),
      ])
  }

  // MARK: Methods

  private func exported(_ path: ObjectPath, _ interface: String) -> ExportedInterface {
    let names = [
      BlueZ.adapter: ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "RemoveDevice"],
      BlueZ.device: ["Connect", "Disconnect"],
      BlueZ.gattManager: ["RegisterApplication", "UnregisterApplication"],
      BlueZ.advertisingManager: ["RegisterAdvertisement", "UnregisterAdvertisement"],
      BlueZ.characteristic: ["StartNotify", "WriteValue"],
    ]
    var methods: [String: ExportedInterface.Method] = [:]
    for name in names[interface] ?? [] {
      methods[name] = { [weak self] in self?.called($0) ?? .success([]) }
    }
    return ExportedInterface(
      interface, methods: methods,
      properties: { [weak self] in self?.objects[path]?[interface] ?? [:] })
  }

  private func called(_ call: IncomingCall) -> Result<[Value], MethodError> {
    let type = call.arguments.last?.properties?["type"]?.string
    calls.append("\(call.path.name) \(call.member)" + (type.map { " \($0)" } ?? ""))
    if let refusal = refusals[call.member] { return .failure(refusal) }
    switch call.member {
    case "RegisterApplication":
      application = call.arguments.first?.path
      node = call.sender
    case "UnregisterApplication": application = nil
    case "RegisterAdvertisement": advertisement = call.arguments.first?.path
    case "UnregisterAdvertisement": advertisement = nil
    case "SetDiscoveryFilter": filter = call.arguments.first?.properties ?? [:]
    case "Connect": onConnect(call.path)
    case "Disconnect":
      change(call.path, BlueZ.device, ["Connected": .bool(false)])
    case "WriteValue":
      if let bytes = call.arguments.first?.bytes { written.append(bytes) }
    case "RemoveDevice":
      if let device = call.arguments.first?.path { remove(device) }
    default: break
    }
    return .success([])
  }

  // MARK: What a bluetoothd asks of a node

  func ask(
    _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [Value] = [],
    by other: BusClient? = nil
  ) async -> Result<[Value], BusError> {
    let call = MethodCall(node ?? ":0.0", path, interface, member, arguments)
    return await withCheckedContinuation { continuation in
      (other ?? client).call(call) { continuation.resume(returning: $0) }
    }
  }

  /// A write by a device to the node's inbox.
  func write(
    _ bytes: [UInt8], from device: ObjectPath, options: [String: Value] = [:],
    by other: BusClient? = nil
  ) async -> Result<[Value], BusError> {
    let inbox = ObjectPath("\(application ?? "/none")/service/inbox") ?? "/"
    var all: [String: Value] = [
      "device": .path(device), "type": .string("command"), "mtu": .uint16(247),
    ]
    all.merge(options) { $1 }
    return await ask(
      inbox, BlueZ.characteristic, "WriteValue", [.bytes(bytes), .properties(all)], by: other)
  }
}
