public import BLELink
internal import DBus
internal import EventLoop

/// Chunks on their way out.
extension BlueZRadio {
  public func send(_ chunk: RawSpan, on id: PathID) -> ChunkOutcome {
    guard let path = paths[id], let device = devices[path] else { return .gone }
    let bytes = chunk.withUnsafeBytes { Array($0) }
    if device.client?.id == id { return write(bytes, path) }
    guard device.server == id, let adapter = adapters[device.adapter] else { return .gone }
    return notify(bytes, id, adapter)
  }

  // MARK: Notifications

  /// Notifies all who subscribed at one controller, a few chunks at a time.
  private func notify(_ bytes: [UInt8], _ id: PathID, _ adapter: AdapterState) -> ChunkOutcome {
    guard let bus, let owner, let outbox = adapter.outboxPath else { return .gone }
    if adapter.notifier.isResting {
      adapter.notifier.waiting.insert(id)
      return .full
    }
    // To bluetoothd alone: others on the bus need not see it.
    let error = bus.emitChanged(
      outbox, BlueZ.characteristic, ["Value": .bytes(bytes)], to: owner)
    if let error, error != .overloaded { return .gone }
    adapter.notifier.sent += 1
    guard adapter.notifier.sent >= limits.notificationBurst || error != nil else { return .taken }
    adapter.notifier.sent = 0
    adapter.notifier.isResting = true
    let epoch = adapter.epoch
    if error != nil { adapter.notifier.waiting.insert(id) }
    EventLoop.main.after(limits.notificationPause) { [weak self, weak adapter] in
      guard let self, let adapter, adapter.epoch == epoch else { return }
      self.rested(adapter)
    }
    return error == nil ? .taken : .full
  }

  /// Goes on when bluetoothd has taken what it was given.
  private func rested(_ adapter: AdapterState) {
    let epoch = adapter.epoch
    let done: @MainActor () -> Void = { [weak self, weak adapter] in
      guard let self, let adapter, adapter.epoch == epoch else { return }
      adapter.notifier.isResting = false
      let waiting = adapter.notifier.waiting.sorted()
      adapter.notifier.waiting = []
      for id in waiting where self.paths[id] != nil { self.observer?.pathWritable(id) }
    }
    guard let bus else { return }
    bus.property(BlueZ.service, adapter.path, BlueZ.adapter, "Powered") { _ in done() }
  }
}
