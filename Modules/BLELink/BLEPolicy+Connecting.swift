internal import Link
internal import Wire

/// Whom to connect to, and what controllers do meanwhile.
extension BLEPolicy {
  mutating func sighted(_ device: BLEDevice, now: Instant) {
    guard adapters[device.adapter] != nil, isAllowed(device.address) else { return }
    change(device.adapter) { adapter, _ in
      adapter.heardAt = now
      adapter.scanEnds = 0
    }
    let due = now + hesitation()
    guard devices.add(device, mustFit: false, now: now, dueAt: due) else { return }
    let wasHeard = isHeard(devices[device], now: now)
    devices.update(device) { entry in
      entry.heardAt = now
      // Somebody who was away is there again: what failed meanwhile says nothing.
      guard !wasHeard, entry.link == nil, !entry.isPenalised(at: now) else { return }
      let soonest = entry.triedAt.map { $0 + limits.minimumInterval } ?? now
      entry.dueAt = min(entry.dueAt, max(due, soonest))
    }
    advance(now: now)
  }

  /// An attempt has failed.
  mutating func connectEnded(
    _ device: BLEDevice, because failure: BLEConnectFailure, now: Instant
  ) {
    guard adapters[device.adapter]?.attempt?.device == device else { return }
    attemptFailed(device, failure, now: now)
    advance(now: now)
  }

  private mutating func attemptFailed(
    _ device: BLEDevice, _ failure: BLEConnectFailure, now: Instant
  ) {
    change(device.adapter) { adapter, _ in adapter.attempt = nil }
    // The other side may have connected meanwhile: then nothing has failed.
    guard devices[device]?.link == nil else { return }
    counters.connectsFailed += 1
    let failures = (devices[device]?.failures ?? 0) + 1
    var pause = backoff.pause(afterFailures: failures)
    if case .wrongLayout = failure {
      if devices[device]?.isForgotten == false {
        // What the system remembers of it may be stale: asked anew, once.
        effects.append(.forget(device))
        devices.update(device) { $0.isForgotten = true }
      } else {
        pause = backoff.jitter(limits.penalty)
      }
    }
    devices.update(device) { entry in
      entry.failures = failures
      entry.dueAt = now + pause
    }
  }

  func isHeard(_ entry: DeviceTable.Entry?, now: Instant) -> Bool {
    guard let heard = entry?.heardAt else { return false }
    return now - heard < limits.heardFor
  }

  // MARK: What controllers do

  /// Does whatever is due: every event ends with it.
  mutating func advance(now: Instant) {
    devices.forgetUnheard(now: now)
    for adapter in adaptersInOrder {
      if let attempt = adapter.attempt, now >= attempt.until { giveUp(attempt.device, now: now) }
      if now >= adapter.turnEndsAt, adapter.attempt == nil {
        let ends = now + turn()
        change(adapter.id) { adapter, _ in
          adapter.isScanningTurn.toggle()
          adapter.turnEndsAt = ends
        }
      }
      advanceAdvertising(of: adapter.id, now: now)
      connectNext(on: adapter.id, now: now)
      advanceScanning(of: adapter.id, now: now)
    }
  }

  /// Nothing came of an attempt in time.
  private mutating func giveUp(_ device: BLEDevice, now: Instant) {
    if devices[device]?.link == nil { effects.append(.disconnect(device)) }
    attemptFailed(device, .unreachable("not ready in time"), now: now)
  }

  func connectionCount(of adapter: AdapterID) -> Int {
    links.values.reduce(0) { $0 + ($1.device.adapter == adapter ? 1 : 0) }
  }

  func connectionLimit(of adapter: Adapter) -> Int {
    max(adapter.description.maximumConnections ?? limits.connections, 1)
  }

  /// Whether there is room for a connection that we make.
  func mayConnect(_ adapter: Adapter) -> Bool {
    let limit = connectionLimit(of: adapter)
    let reserve = limit > 2 * limits.reservedConnections ? limits.reservedConnections : 0
    return adapter.description.canScan && connectionCount(of: adapter.id) < limit - reserve
  }

  func wantsAdvertising(_ adapter: Adapter) -> Bool {
    adapter.description.canAdvertise && !isOneThing(adapter, scanning: true)
      && connectionCount(of: adapter.id) < connectionLimit(of: adapter)
  }

  func wantsScan(_ adapter: Adapter) -> Bool {
    adapter.attempt == nil && mayConnect(adapter) && !isOneThing(adapter, scanning: false)
  }

  /// Whether a controller of one role at a time is having its turn at the given one.
  private func isOneThing(_ adapter: Adapter, scanning: Bool) -> Bool {
    let description = adapter.description
    guard description.canAdvertise, description.canScan, !description.canDoBothAtOnce else {
      return false
    }
    return adapter.isScanningTurn == scanning
  }

  private mutating func advanceAdvertising(of id: AdapterID, now: Instant) {
    guard let adapter = adapters[id] else { return }
    let isWanted = wantsAdvertising(adapter)
    guard isWanted != adapter.isAdvertising, !isWanted || now >= adapter.advertiseAt else { return }
    // One that does one thing at a time ends the other first.
    if isWanted, isOneThing(adapter, scanning: false) { stopScan(on: id) }
    effects.append(.advertise(id, isWanted))
    change(id) { adapter, _ in adapter.isAdvertising = isWanted }
  }

  private mutating func advanceScanning(of id: AdapterID, now: Instant) {
    guard let adapter = adapters[id] else { return }
    guard wantsScan(adapter) else { return stopScan(on: id) }
    if adapter.isScanning, now >= adapter.heardAt + limits.scanRenewal {
      renewScan(on: id, now: now)
    }
    guard let adapter = adapters[id], !adapter.isScanning, now >= adapter.scanAt else { return }
    effects.append(.scan(id, true))
    change(id) { adapter, _ in
      adapter.isScanning = true
      adapter.heardAt = now
    }
  }

  mutating func stopScan(on id: AdapterID) {
    guard adapters[id]?.isScanning == true else { return }
    effects.append(.scan(id, false))
    change(id) { adapter, _ in adapter.isScanning = false }
  }

  /// A scan that may have ended in silence is begun anew.
  mutating func renewScan(on id: AdapterID, now: Instant) {
    guard adapters[id]?.isScanning == true else { return }
    stopScan(on: id)
    counters.scansRenewed += 1
  }

  // MARK: Whom to connect to

  /// When a device that is not linked may be connected to; nil: not until it is heard.
  func nextAttempt(at entry: DeviceTable.Entry) -> Instant? {
    guard let adapter = adapters[entry.device.adapter], adapter.attempt == nil,
      mayConnect(adapter), !isOneThing(adapter, scanning: false),
      !isLinkedElsewhere(entry.device)
    else { return nil }
    var due = max(entry.dueAt, entry.penalisedUntil ?? .zero)
    if let heard = entry.heardAt, due < heard + limits.heardFor { return due }
    due = max(due, adapter.nextBlindAt)
    return entry.isKnown && due < entry.missedSince + limits.keepTrying ? due : nil
  }

  /// Two of our controllers hear one address: one link to it is enough.
  private func isLinkedElsewhere(_ device: BLEDevice) -> Bool {
    links.values.contains { $0.device.address == device.address }
      || adapters.values.contains {
        $0.id != device.adapter && $0.attempt?.device.address == device.address
      }
  }

  private mutating func connectNext(on id: AdapterID, now: Instant) {
    guard let adapter = adapters[id], adapter.attempt == nil, mayConnect(adapter) else { return }
    let due = devices.inOrder.filter { entry in
      guard entry.device.adapter == id, entry.link == nil else { return false }
      return nextAttempt(at: entry).map { $0 <= now } ?? false
    }
    // Those heard before those that are not, those known before strangers; among equals by chance,
    // so that a thousand made-up devices cannot keep a real one waiting for good.
    let heard = due.filter { isHeard($0, now: now) }
    let known = heard.filter(\.isKnown)
    let best = !known.isEmpty ? known : !heard.isEmpty ? heard : due
    guard let chosen = best.randomElement(using: &random) else { return }
    stopScan(on: id)
    effects.append(.connect(chosen.device))
    counters.connects += 1
    let isBlind = !isHeard(chosen, now: now)
    let until = now + (isBlind ? limits.blindTimeout : limits.connectTimeout)
    change(id) { adapter, limits in
      adapter.attempt = (chosen.device, until)
      if isBlind { adapter.nextBlindAt = until + limits.blindInterval }
    }
    devices.update(chosen.device) { $0.triedAt = now }
  }
}
