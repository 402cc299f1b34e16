public import BLELink
internal import DBus
internal import EventLoop

/// What those above want done.
extension BlueZRadio {
  public func setAdvertising(_ isOn: Bool, on id: AdapterID) {
    guard let adapter = adapter(id), let bus else { return }
    adapter.queue.add { [weak self, weak adapter] done in
      guard let self, let adapter, adapter.id == id, let path = adapter.advertisementPath,
        isOn != adapter.isAdvertised
      else { return done() }
      adapter.isAdvertised = isOn
      let member = isOn ? "RegisterAdvertisement" : "UnregisterAdvertisement"
      let arguments: [Value] = isOn ? [.path(path), .properties([:])] : [.path(path)]
      if isOn { self.exportAdvertisement(of: adapter, at: path) }
      bus.call(
        self.to(adapter.path, BlueZ.advertisingManager, member, arguments),
        timeout: self.limits.callTimeout
      ) { result in
        defer { done() }
        guard adapter.id == id else { return }
        if !isOn { return bus.unexport(path) }
        guard case .failure(let error) = result else { return }
        bus.unexport(path)
        self.advertisingFailed(adapter, id, error)
      }
    }
  }

  private func advertisingFailed(_ adapter: AdapterState, _ id: AdapterID, _ error: BusError) {
    adapter.isAdvertised = false
    report(
      BLETrouble(.noRole, "\(adapter.name) cannot be found by others: \(error)"))
    observer?.advertisingEnded(on: id)
  }

  /// bluetoothd took the advertisement down.
  func advertisementReleased(on adapter: AdapterState) {
    guard let id = adapter.id, adapter.isAdvertised else { return }
    adapter.isAdvertised = false
    if let path = adapter.advertisementPath { bus?.unexport(path) }
    observer?.advertisingEnded(on: id)
  }

  public func setScanning(_ isOn: Bool, on id: AdapterID) {
    guard let adapter = adapter(id), let bus else { return }
    adapter.queue.add { [weak self, weak adapter] done in
      guard let self, let adapter, adapter.id == id, isOn != adapter.wantsScan else {
        return done()
      }
      adapter.wantsScan = isOn
      guard isOn else {
        self.cancelRest(adapter)
        let stop = self.to(adapter.path, BlueZ.adapter, "StopDiscovery")
        bus.call(stop, timeout: self.limits.callTimeout) { _ in done() }
        return
      }
      let filter: [String: Value] = [
        "UUIDs": .strings([AirLinkUUID.service]), "Transport": .string("le"),
      ]
      let set = self.to(
        adapter.path, BlueZ.adapter, "SetDiscoveryFilter", [.properties(filter)])
      bus.call(set, timeout: self.limits.callTimeout) { _ in }
      let start = self.to(adapter.path, BlueZ.adapter, "StartDiscovery")
      bus.call(start, timeout: self.limits.callTimeout) { result in
        defer { done() }
        guard adapter.id == id, adapter.wantsScan, case .failure(let error) = result,
          error.name != "org.bluez.Error.InProgress"
        else { return }
        adapter.wantsScan = false
        self.report(BLETrouble(.noRole, "\(adapter.name) cannot look for others: \(error)"))
        self.observer?.scanEnded(on: id)
      }
    }
  }

  /// Between two rounds discovery rests; a longer rest is its end.
  func discoveryChanged(_ adapter: AdapterState) {
    cancelRest(adapter)
    guard adapter.wantsScan, !adapter.isDiscovering, let id = adapter.id else { return }
    adapter.restTimer = EventLoop.main.after(limits.discoveryRest) { [weak self, weak adapter] in
      guard let self, let adapter, adapter.id == id, adapter.wantsScan else { return }
      adapter.restTimer = nil
      adapter.wantsScan = false
      // Should bluetoothd see it otherwise, it must not go on beside the next.
      self.bus?.call(self.to(adapter.path, BlueZ.adapter, "StopDiscovery")) { _ in }
      self.observer?.scanEnded(on: id)
    }
  }

  private func cancelRest(_ adapter: AdapterState) {
    if let timer = adapter.restTimer { EventLoop.main.cancel(timer) }
    adapter.restTimer = nil
  }

  public func connect(to device: BLEDevice) {
    guard let adapter = adapter(device.adapter) else { return }
    adapter.queue.add { [weak self, weak adapter] done in
      defer { done() }
      guard let self, let adapter, adapter.id == device.adapter else { return }
      guard let path = self.places[device] else {
        return self.laterEnded(device, .unreachable("bluetoothd knows it no more"))
      }
      self.devices[path]?.isAttempted = true
      if self.devices[path]?.isConnected == true { return self.goOn(path) }
      self.callConnect(path, device)
    }
  }

  private func callConnect(_ path: ObjectPath, _ device: BLEDevice) {
    devices[path]?.connectCall = bus?.call(
      to(path, BlueZ.device, "Connect"), timeout: limits.connectTimeout
    ) { [weak self] result in
      guard let self, self.devices[path]?.isAttempted == true else { return }
      self.devices[path]?.connectCall = nil
      guard case .failure(let error) = result else {
        self.devices[path]?.isConnected = true
        return self.goOn(path)
      }
      // Both sides may have connected at once: what counts is whether it is connected.
      if self.devices[path]?.isConnected == true { return self.goOn(path) }
      self.ended(path, Self.failure(error))
    }
  }

  private static func failure(_ error: BusError) -> BLEConnectFailure {
    switch error.name {
    case "org.bluez.Error.InProgress", "org.bluez.Error.NotReady": .busy("\(error)")
    case "org.bluez.Error.Failed", "org.freedesktop.DBus.Error.UnknownObject",
      "org.freedesktop.DBus.Error.NoReply":
      .unreachable("\(error)")
    default: .failed("\(error)")
    }
  }

  private func laterEnded(_ device: BLEDevice, _ failure: BLEConnectFailure) {
    EventLoop.main.nextTurn { [weak self] in
      self?.observer?.connectEnded(device, because: failure)
    }
  }

  /// An attempt has come to nothing.
  func ended(_ path: ObjectPath, _ failure: BLEConnectFailure) {
    guard devices[path]?.isAttempted == true, let device = bleDevice(path) else { return }
    devices[path]?.isAttempted = false
    if let call = devices[path]?.connectCall { bus?.cancel(call) }
    devices[path]?.connectCall = nil
    observer?.connectEnded(device, because: failure)
  }

  public func disconnect(from device: BLEDevice) {
    guard let path = places[device], let bus else { return }
    devices[path]?.isAttempted = false
    if let call = devices[path]?.connectCall { bus.cancel(call) }
    devices[path]?.connectCall = nil
    bus.call(to(path, BlueZ.device, "Disconnect"), timeout: limits.callTimeout) { _ in }
    EventLoop.main.nextTurn { [weak self] in
      self?.endPaths(path, because: "disconnected")
    }
  }

  public func forget(_ device: BLEDevice) {
    guard let adapter = adapter(device.adapter), let path = places[device], let bus else { return }
    adapter.queue.add { [weak self, weak adapter] done in
      guard let self, let adapter, adapter.id == device.adapter else { return done() }
      bus.call(
        self.to(adapter.path, BlueZ.adapter, "RemoveDevice", [.path(path)]),
        timeout: self.limits.callTimeout
      ) { _ in done() }
    }
  }
}
