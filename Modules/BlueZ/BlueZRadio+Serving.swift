internal import BLELink
internal import DBus

extension AdapterState {
  var servicePath: ObjectPath? { root.flatMap { ObjectPath("\($0)/service") } }
  var inboxPath: ObjectPath? { root.flatMap { ObjectPath("\($0)/service/inbox") } }
  var outboxPath: ObjectPath? { root.flatMap { ObjectPath("\($0)/service/outbox") } }
  /// Outside of `root`: it is no part of the application.
  var advertisementPath: ObjectPath? {
    id.flatMap { ObjectPath("/airlink/advertisement\($0.rawValue)") }
  }
}

/// Our part as server: the service that others find, and what they do with it.
extension BlueZRadio {
  /// Shows the service to bluetoothd, on a path of its own for each controller: a notification goes
  /// to all who subscribed at that one alone.
  func exportApplication(of adapter: AdapterState) -> ObjectPath {
    counters.applications += 1
    let root = ObjectPath("/airlink/application\(counters.applications)") ?? "/airlink/application"
    adapter.root = root
    guard let bus, let service = adapter.servicePath, let inbox = adapter.inboxPath,
      let outbox = adapter.outboxPath
    else { return root }
    bus.exportManager(root)
    bus.export(
      service,
      [
        ExportedInterface(
          BlueZ.gattService,
          properties: { ["UUID": .string(AirLinkUUID.service), "Primary": .bool(true)] })
      ])
    bus.export(
      inbox,
      [
        ExportedInterface(
          BlueZ.characteristic,
          methods: ["WriteValue": { [weak self] in self?.written($0, adapter) ?? .success([]) }],
          properties: {
            [
              "UUID": .string(AirLinkUUID.inbox), "Service": .path(service),
              "Flags": .strings(["write-without-response", "write"]),
            ]
          })
      ])
    bus.export(
      outbox,
      [
        ExportedInterface(
          BlueZ.characteristic,
          methods: [
            "StartNotify": { [weak self] in self?.subscribed($0, adapter, true) ?? .success([]) },
            "StopNotify": { [weak self] in self?.subscribed($0, adapter, false) ?? .success([]) },
          ],
          properties: {
            [
              "UUID": .string(AirLinkUUID.outbox), "Service": .path(service),
              "Flags": .strings(["notify"]),
            ]
          })
      ])
    return root
  }

  func unexportApplication(of adapter: AdapterState) {
    let paths = [
      adapter.root, adapter.servicePath, adapter.inboxPath, adapter.outboxPath,
      adapter.advertisementPath,
    ]
    for path in paths { if let path { bus?.unexport(path) } }
    adapter.root = nil
  }

  func exportAdvertisement(of adapter: AdapterState, at path: ObjectPath) {
    bus?.export(
      path,
      [
        ExportedInterface(
          BlueZ.advertisement,
          methods: [
            "Release": { [weak self, weak adapter] call in
              if let adapter, call.sender == self?.owner {
                self?.advertisementReleased(on: adapter)
              }
              return .success([])
            }
          ],
          properties: {
            ["Type": .string("peripheral"), "ServiceUUIDs": .strings([AirLinkUUID.service])]
          })
      ])
  }

  // MARK: The inbox

  private static let notAuthorised = MethodError(
    name: "org.bluez.Error.NotAuthorized", "bluetoothd alone writes here")

  /// A chunk has come; the option `device` says from whom.
  private func written(
    _ call: IncomingCall, _ adapter: AdapterState
  ) -> Result<[Value], MethodError> {
    guard call.sender == owner else {
      counters.refusedWrites += 1
      return .failure(Self.notAuthorised)
    }
    guard call.arguments.count == 2, let chunk = call.arguments[0].bytes,
      let options = call.arguments[1].properties, let path = options["device"]?.path
    else {
      counters.refusedWrites += 1
      return .failure(MethodError(.invalidArguments, "a value and options are wanted"))
    }
    // Long writes come in parts of 512 bytes and an offset; AirLink makes none.
    guard options["offset"]?.integer ?? 0 == 0, options["prepare-authorize"]?.bool != true else {
      counters.refusedWrites += 1
      return .failure(MethodError(name: "org.bluez.Error.InvalidOffset", "no long writes"))
    }
    guard !chunk.isEmpty else { return .success([]) }
    guard let id = serverPath(path, adapter, mtu: options["mtu"]?.integer) else {
      counters.refusedWrites += 1
      return .success([])
    }
    observer?.received(chunk.span.bytes, on: id)
    return .success([])
  }

  /// The path that a device writes on; it comes up with the first chunk.
  private func serverPath(_ path: ObjectPath, _ adapter: AdapterState, mtu: Int?) -> PathID? {
    guard let device = devices[path], device.adapter == adapter.path, let ble = bleDevice(path),
      let outlet = adapter.outlet
    else { return nil }
    if let server = device.server { return server }
    let id = nextPathID()
    devices[path]?.server = id
    paths[id] = path
    observer?.pathUp(
      id,
      BLEPath(
        device: ble, role: .server, chunkLimit: mtu.map { max($0 - 3, 1) }, outlet: outlet,
        mayReorder: true))
    // Those above may not want it.
    return devices[path]?.server == id ? id : nil
  }

  // MARK: The outbox

  /// The first has subscribed, or the last has left: bluetoothd says no more, and not who.
  private func subscribed(
    _ call: IncomingCall, _ adapter: AdapterState, _ isSubscribed: Bool
  ) -> Result<[Value], MethodError> {
    guard call.sender == owner else { return .failure(Self.notAuthorised) }
    adapter.isSubscribed = isSubscribed
    if !isSubscribed {
      for path in devices.filter({ $0.value.adapter == adapter.path }).keys.sorted(by: order) {
        endServer(path, because: "it listens no more")
      }
    }
    return .success([])
  }
}
