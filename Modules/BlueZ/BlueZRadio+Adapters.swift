internal import BLELink
internal import DBus
internal import EventLoop

/// Controllers: found, registered with, lost.
extension BlueZRadio {
  func addAdapter(_ path: ObjectPath, _ properties: [String: Value], hasAdvertising: Bool) {
    if adapters[path] != nil {
      adapterChanged(path, properties)
      return
    }
    guard adapters.count < limits.adapters,
      let adapter = AdapterState(path, properties, hasAdvertising: hasAdvertising),
      wanted.map({ $0 == adapter.name || BLEAddress($0) == adapter.address }) ?? true
    else { return }
    adapters[path] = adapter
    if adapter.isPowered { register(adapter) }
  }

  func adapterChanged(_ path: ObjectPath, _ changed: [String: Value]) {
    guard let adapter = adapters[path] else { return }
    if let state = changed["PowerState"]?.string { adapter.isBlocked = state == "off-blocked" }
    if let isDiscovering = changed["Discovering"]?.bool {
      adapter.isDiscovering = isDiscovering
      discoveryChanged(adapter)
    }
    guard let isPowered = changed["Powered"]?.bool, isPowered != adapter.isPowered else { return }
    adapter.isPowered = isPowered
    if isPowered {
      register(adapter)
    } else {
      down(adapter, because: "switched off")
    }
  }

  func removeAdapter(_ path: ObjectPath) {
    guard let adapter = adapters[path] else { return }
    remove(adapter, because: "removed")
    for (device, state) in devices where state.adapter == path { dropDevice(device) }
  }

  func remove(_ adapter: AdapterState, because reason: String) {
    down(adapter, because: reason)
    adapters[adapter.path] = nil
    failedRegistrations[adapter.path] = nil
  }

  /// Begins to use a controller: first what others will look for must be there.
  private func register(_ adapter: AdapterState) {
    guard let bus, !adapter.isRegistering, adapter.id == nil else { return }
    adapter.isRegistering = true
    adapter.epoch += 1
    let epoch = adapter.epoch
    let root = exportApplication(of: adapter)
    adapter.root = root
    let call = to(
      adapter.path, BlueZ.gattManager, "RegisterApplication", [.path(root), .properties([:])])
    bus.call(call, timeout: limits.callTimeout) { [weak self, weak adapter] result in
      guard let self, let adapter, adapter.epoch == epoch else { return }
      adapter.isRegistering = false
      switch result {
      case .success: self.up(adapter)
      case .failure(let error): self.registrationFailed(adapter, error)
      }
      self.updateTroubles()
    }
  }

  private func up(_ adapter: AdapterState) {
    let id = nextAdapterID()
    adapter.id = id
    adapter.outlet = nextOutletID()
    adapter.queue = CommandQueue()
    adapter.registrationFailures = 0
    failedRegistrations[adapter.path] = nil
    // From now on it would be missed.
    remark = nil
    observer?.adapterUp(id, adapter.description())
    // Connections that were there before: made by others, or left behind by an earlier run.
    for path in devices.filter({ $0.value.adapter == adapter.path }).keys.sorted(by: order) {
      placeDevice(path)
      bringUpClient(path)
    }
  }

  func order(_ one: ObjectPath, _ other: ObjectPath) -> Bool {
    one.description < other.description
  }

  private func registrationFailed(_ adapter: AdapterState, _ error: BusError) {
    unexportApplication(of: adapter)
    let isRefused =
      error.name == "org.freedesktop.DBus.Error.AccessDenied"
      || error.name == "org.bluez.Error.NotPermitted"
    failedRegistrations[adapter.path] = BLETrouble(
      isRefused ? .noPermission : .other,
      "bluetoothd does not let this program offer its service on \(adapter.name): \(error)",
      hint: isRefused ? "busctl status org.bluez" : nil)
    let pauses = limits.registrationPauses
    let pause = pauses[min(adapter.registrationFailures, pauses.count - 1)]
    adapter.registrationFailures += 1
    adapter.retry = EventLoop.main.after(pause) { [weak self, weak adapter] in
      guard let adapter, adapter.isPowered else { return }
      adapter.retry = nil
      self?.register(adapter)
    }
  }

  /// Ends everything on a controller that can be used no more.
  func down(_ adapter: AdapterState, because reason: String) {
    adapter.epoch += 1
    adapter.isRegistering = false
    adapter.queue.close()
    for timer in [adapter.retry, adapter.restTimer] {
      if let timer { EventLoop.main.cancel(timer) }
    }
    (adapter.retry, adapter.restTimer) = (nil, nil)
    // bluetoothd keeps our application while the controller is off; a new one is registered.
    if let root = adapter.root {
      bus?.call(to(adapter.path, BlueZ.gattManager, "UnregisterApplication", [.path(root)])) { _ in
      }
    }
    unexportApplication(of: adapter)
    (adapter.wantsScan, adapter.isAdvertised, adapter.isSubscribed) = (false, false, false)
    adapter.notifier = Notifier()
    for (path, device) in devices where device.adapter == adapter.path {
      if let call = device.connectCall { bus?.cancel(call) }
      for id in [device.client?.id, device.server] { if let id { paths[id] = nil } }
      devices[path]?.client = nil
      devices[path]?.server = nil
      devices[path]?.subscribing = nil
      devices[path]?.isAttempted = false
      devices[path]?.connectCall = nil
      unplaceDevice(path)
    }
    guard let id = adapter.id else { return }
    adapter.id = nil
    observer?.adapterDown(id, because: reason)
  }

  func adapter(_ id: AdapterID) -> AdapterState? { adapters.values.first { $0.id == id } }
}
