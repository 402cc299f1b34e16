internal import BLELink
internal import DBus
internal import EventLoop

/// What stands in the way, each told once.
extension BlueZRadio {
  /// Tells what is new and what is over.
  func updateTroubles() {
    guard bus != nil else { return }
    var now = current()
    if now?.code == .noAdapter {
      if isMissingAdapter == nil { waitForAdapter() }
      if isMissingAdapter == false { now = nil }
    } else {
      isMissingAdapter = nil
    }
    for code in told.keys.filter({ now?.code != $0 && Self.isWatched($0) }) {
      told[code] = nil
      observer?.troubleOver(code)
    }
    if let now { report(now) }
  }

  /// Says that there is no adapter only when there is still none after a while.
  private func waitForAdapter() {
    isMissingAdapter = false
    EventLoop.main.after(limits.adapterGrace) { [weak self] in
      guard let self, self.isMissingAdapter == false else { return }
      self.isMissingAdapter = true
      self.updateTroubles()
    }
  }

  func report(_ trouble: BLETrouble) {
    guard told[trouble.code] != trouble else { return }
    told[trouble.code] = trouble
    if let remark { return remark(trouble.text) }
    observer?.trouble(trouble)
  }

  /// That a controller lacks a role is told when it shows, and stays so.
  private static func isWatched(_ code: BLETrouble.Code) -> Bool { code != .noRole }

  /// The first thing that is missing.
  private func current() -> BLETrouble? {
    guard let bus else { return nil }
    if case .absent(let why) = bus.state {
      return BLETrouble(.noStack, "no Bluetooth: there is no system bus (\(why))")
    }
    // Not known yet.
    if !bus.isConnected || !bus.knowsOwner(of: BlueZ.service) { return nil }
    if owner == nil {
      return BLETrouble(
        .noStack, "no Bluetooth: bluetoothd does not run", hint: "systemctl start bluetooth")
    }
    guard isReady else { return nil }
    if adapters.isEmpty {
      let which = wanted.map { "Bluetooth adapter \($0)" } ?? "Bluetooth adapter"
      return BLETrouble(.noAdapter, "no \(which) is there", hint: "bluetoothctl list")
    }
    if adapters.values.contains(where: { $0.id != nil }) { return nil }
    if let failed = failedRegistrations.values.first { return failed }
    guard let off = adapters.values.first(where: { !$0.isPowered }) else { return nil }
    return BLETrouble(
      .adapterOff, "Bluetooth adapter \(off.name) is \(off.isBlocked ? "blocked" : "switched off")",
      hint: off.isBlocked ? "rfkill unblock bluetooth" : "bluetoothctl power on")
  }
}
