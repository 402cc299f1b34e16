internal import BLELink
internal import DBus
internal import EventLoop

/// Devices: heard, connected, found to have our service.
extension BlueZRadio {
  func addDevice(_ path: ObjectPath, _ properties: [String: Value]) {
    if devices[path] != nil {
      deviceChanged(path, properties)
      return
    }
    guard devices.count < limits.devices || properties["Connected"]?.bool == true,
      devices.count < 2 * limits.devices, let device = DeviceState(properties),
      adapters[device.adapter] != nil
    else { return }
    devices[path] = device
    placeDevice(path)
    if properties["RSSI"] != nil { sighted(path, properties) }
  }

  func deviceChanged(_ path: ObjectPath, _ changed: [String: Value]) {
    guard devices[path] != nil else { return }
    if let isOurs = DeviceState.hasService(changed) { devices[path]?.isOurs = isOurs }
    if changed["RSSI"] != nil { sighted(path, changed) }
    if let isConnected = changed["Connected"]?.bool { connectedChanged(path, isConnected) }
    if let isResolved = changed["ServicesResolved"]?.bool {
      // bluetoothd does not always tell of a connection that it made itself.
      connectedChanged(path, isResolved)
      devices[path]?.isResolved = isResolved
      if isResolved { goOn(path) }
    }
  }

  private func sighted(_ path: ObjectPath, _ properties: [String: Value]) {
    guard let device = bleDevice(path), devices[path]?.isOurs == true,
      adapters[devices[path]?.adapter ?? "/"]?.wantsScan == true
    else { return }
    observer?.sighted(device, rssi: properties["RSSI"]?.integer)
  }

  private func connectedChanged(_ path: ObjectPath, _ isConnected: Bool) {
    guard let device = devices[path], device.isConnected != isConnected else { return }
    devices[path]?.isConnected = isConnected
    guard !isConnected else { return }
    devices[path]?.isResolved = false
    endPaths(path, because: "disconnected")
    // While `Connect` is under way its answer decides.
    if device.connectCall == nil {
      ended(path, .unreachable("the connection broke while it was being made"))
    }
  }

  func removeDevice(_ path: ObjectPath) {
    guard devices[path] != nil else { return }
    endPaths(path, because: "bluetoothd removed the device")
    ended(path, .unreachable("bluetoothd removed the device"))
    dropDevice(path)
  }

  func dropDevice(_ path: ObjectPath) {
    unplaceDevice(path)
    devices[path] = nil
  }

  // MARK: Places

  func bleDevice(_ path: ObjectPath) -> BLEDevice? {
    guard let device = devices[path], let id = adapters[device.adapter]?.id else { return nil }
    return BLEDevice(id, device.address)
  }

  func placeDevice(_ path: ObjectPath) {
    if let device = bleDevice(path) { places[device] = path }
  }

  func unplaceDevice(_ path: ObjectPath) {
    for (device, place) in places where place == path { places[device] = nil }
  }

  // MARK: Services

  func addService(_ path: ObjectPath, _ properties: [String: Value]) {
    guard isSameUUID(properties["UUID"]?.string, AirLinkUUID.service),
      let device = properties["Device"]?.path, devices[device] != nil
    else { return }
    devices[device]?.services.insert(path)
    goOn(device)
  }

  /// bluetoothd tells of characteristics before or after their service, as it comes.
  func addCharacteristic(_ path: ObjectPath, _ properties: [String: Value]) {
    let uuid = properties["UUID"]?.string
    let isInbox = isSameUUID(uuid, AirLinkUUID.inbox)
    guard isInbox || isSameUUID(uuid, AirLinkUUID.outbox),
      let characteristic = RemoteCharacteristic(properties),
      let device = devices.keys.first(where: { path.isWithin($0) }),
      let state = devices[device],
      state.inboxes.count + state.outboxes.count < limits.characteristics
    else { return }
    if isInbox {
      devices[device]?.inboxes[path] = characteristic
    } else {
      devices[device]?.outboxes[path] = characteristic
    }
    goOn(device)
  }

  func removeService(_ path: ObjectPath) {
    for (device, state) in devices where state.services.contains(path) {
      devices[device]?.services.remove(path)
      for outbox in state.outboxes where outbox.value.service == path {
        removeCharacteristic(outbox.key)
      }
      for inbox in state.inboxes where inbox.value.service == path {
        removeCharacteristic(inbox.key)
      }
    }
  }

  func removeCharacteristic(_ path: ObjectPath) {
    for (device, state) in devices {
      guard state.inboxes[path] != nil || state.outboxes[path] != nil else { continue }
      devices[device]?.inboxes[path] = nil
      devices[device]?.outboxes[path] = nil
      if state.subscribing == path { devices[device]?.subscribing = nil }
      if state.client?.inbox == path || state.client?.outbox == path {
        endClient(device, because: "its service went away")
      }
    }
  }

  // MARK: Our part as client

  /// Does what is next on a connection: looks for the service, subscribes.
  func goOn(_ path: ObjectPath) {
    guard let device = devices[path], device.isConnected, device.isResolved else { return }
    if device.client != nil {
      devices[path]?.isAttempted = false
      return
    }
    if bringUpClient(path) || device.subscribing != nil || !device.isAttempted { return }
    ended(
      path,
      .wrongLayout(
        device.services.isEmpty
          ? "no AirLink service" : "an AirLink service without its inbox or outbox"))
    if device.server == nil {
      bus?.call(to(path, BlueZ.device, "Disconnect"), timeout: limits.callTimeout) { _ in }
    }
  }

  /// Subscribes to the outbox of a device that has the right layout.
  ///
  /// - Returns: whether it has.
  @discardableResult
  func bringUpClient(_ path: ObjectPath) -> Bool {
    guard let device = devices[path], device.isConnected, device.isResolved,
      bleDevice(path) != nil, device.client == nil, device.subscribing == nil
    else { return false }
    // Of two services, as of one that is going and one that came, any that is whole.
    let pairs = device.outboxes.sorted { order($0.key, $1.key) }.flatMap { outbox in
      device.inboxes.sorted { order($0.key, $1.key) }.map { (outbox: outbox, inbox: $0) }
    }
    let whole = pairs.last { pair in
      device.services.contains(pair.outbox.value.service)
        && pair.outbox.value.service == pair.inbox.value.service
        && pair.outbox.value.flags.contains("notify")
        && pair.inbox.value.flags.contains("write-without-response")
    }
    guard let (outbox, inbox) = whole else { return false }
    devices[path]?.subscribing = outbox.key
    bus?.call(
      to(outbox.key, BlueZ.characteristic, "StartNotify"), timeout: limits.callTimeout
    ) { [weak self] result in
      guard let self, self.devices[path]?.subscribing == outbox.key else { return }
      self.devices[path]?.subscribing = nil
      switch result {
      case .success: self.clientUp(path, inbox: inbox.key, outbox: outbox.key)
      case .failure(let error):
        self.ended(path, .failed("no subscription: \(error)"))
        self.bringUpClientLater(path)
      }
    }
    return true
  }

  /// Tries again what failed, or what may be there after a while: the new service of a device that
  /// restarted.
  func bringUpClientLater(_ path: ObjectPath) {
    EventLoop.main.after(limits.objectsPause) { [weak self] in self?.bringUpClient(path) }
  }

  private func clientUp(_ path: ObjectPath, inbox: ObjectPath, outbox: ObjectPath) {
    guard let device = devices[path], device.isConnected, let ble = bleDevice(path),
      let characteristic = device.inboxes[inbox], device.outboxes[outbox] != nil
    else { return }
    let id = nextPathID()
    devices[path]?.client = DeviceState.Client(
      id: id, inbox: inbox, outbox: outbox, answers: characteristic.flags.contains("write"))
    devices[path]?.isAttempted = false
    paths[id] = path
    observer?.pathUp(
      id,
      BLEPath(
        device: ble, role: .client, chunkLimit: characteristic.chunkLimit,
        outlet: nextOutletID(), mayReorder: false))
  }

  func characteristicChanged(_ path: ObjectPath, _ changed: [String: Value]) {
    guard let device = devices.first(where: { $0.value.outboxes[path] != nil })?.key else {
      mtuChanged(path, changed)
      return
    }
    guard let client = devices[device]?.client, client.outbox == path else { return }
    if let chunk = changed["Value"]?.bytes, !chunk.isEmpty {
      observer?.received(chunk.span.bytes, on: client.id)
    }
    if changed["Notifying"]?.bool == false {
      endClient(device, because: "the subscription ended")
      bringUpClient(device)
    }
  }

  private func mtuChanged(_ path: ObjectPath, _ changed: [String: Value]) {
    guard let mtu = changed["MTU"]?.integer,
      let device = devices.first(where: { $0.value.inboxes[path] != nil })?.key
    else { return }
    devices[device]?.inboxes[path]?.mtu = mtu
    guard let client = devices[device]?.client, client.inbox == path else { return }
    observer?.pathChanged(client.id, chunkLimit: devices[device]?.inboxes[path]?.chunkLimit)
  }

  // MARK: The end of paths

  func endClient(_ path: ObjectPath, because reason: String) {
    guard let client = devices[path]?.client else { return }
    devices[path]?.client = nil
    paths[client.id] = nil
    observer?.pathDown(client.id, because: reason)
  }

  func endServer(_ path: ObjectPath, because reason: String) {
    guard let server = devices[path]?.server else { return }
    if let adapter = devices[path]?.adapter { adapters[adapter]?.notifier.waiting.remove(server) }
    devices[path]?.server = nil
    paths[server] = nil
    observer?.pathDown(server, because: reason)
  }

  func endPaths(_ path: ObjectPath, because reason: String) {
    devices[path]?.subscribing = nil
    endClient(path, because: reason)
    endServer(path, because: reason)
  }
}
