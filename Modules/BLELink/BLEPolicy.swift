internal import Link
package import Wire

/// Decides everything about Bluetooth links that can be decided without a radio: when to advertise
/// and to scan, whom to connect to and when again, which path carries what in which chunks, whom to
/// turn away (PROTOCOL, section 8).
///
/// It is told what happened and the time, and collects what is to be done; `takeEffects` hands that
/// over. Chunks are asked for with `nextChunk`. Nobody decides beforehand which of two devices
/// connects: both may, a moment apart, and whatever paths come of it are one link.
package struct BLEPolicy: Sendable {
  /// A controller in use.
  struct Adapter: Sendable {
    let id: AdapterID
    let description: BLEAdapter
    var isAdvertising = false
    var isScanning = false
    /// Whom it is connecting to, and until when that may take.
    var attempt: (device: BLEDevice, until: Instant)?
    /// When it may try somebody who is not heard.
    var nextBlindAt: Instant
    /// When scanning began, or last heard somebody.
    var heardAt = Instant.zero
    /// Not scanning, or advertising, again before.
    var scanAt = Instant.zero
    var advertiseAt = Instant.zero
    var scanEnds = 0
    var advertisingEnds = 0
    /// Of one that does one thing at a time: whether it scans now, and until when it stays so.
    var isScanningTurn = false
    var turnEndsAt = Instant.distantFuture
  }

  let limits: BLELimits
  /// Those whom alone we link up with, in tests; nil: with everybody.
  let allowed: Set<BLEAddress>?
  var adapters: [AdapterID: Adapter] = [:]
  var devices: DeviceTable
  var links: [LinkID: BLELinkState] = [:]
  var paths: [PathID: LinkID] = [:]
  var outlets: [OutletID: Outlet] = [:]
  /// Outlets that may have something to send, each once.
  var ready: [OutletID] = []
  /// Addresses once linked on a controller that is gone, the latest last.
  private(set) var remembered: [BLEAddress] = []
  var backoff: Backoff
  var random: SplitMix64
  var effects: [BLEEffect] = []
  /// Of links that are gone; those that live count their own.
  var counters = BLECounters()

  package init(limits: BLELimits, allowed: Set<BLEAddress>?, seed: UInt64) {
    self.limits = limits
    self.allowed = allowed
    devices = DeviceTable(limits: limits)
    backoff = Backoff(
      first: limits.firstBackoff, maximum: limits.maximumBackoff, random: SplitMix64(seed: seed))
    random = SplitMix64(seed: seed ^ 0x626C_6500)
  }

  mutating func takeEffects() -> [BLEEffect] {
    defer { effects = [] }
    return effects
  }

  var adaptersInOrder: [Adapter] { adapters.values.sorted { $0.id < $1.id } }

  func isAllowed(_ address: BLEAddress) -> Bool { allowed?.contains(address) ?? true }

  // MARK: Controllers

  package mutating func adapterUp(_ id: AdapterID, _ description: BLEAdapter, now: Instant) {
    guard adapters[id] == nil, adapters.count < limits.adapters else { return }
    var adapter = Adapter(id: id, description: description, nextBlindAt: now)
    if description.canAdvertise, description.canScan, !description.canDoBothAtOnce {
      adapter.isScanningTurn = Bool.random(using: &random)
      adapter.turnEndsAt = now + turn()
    }
    adapters[id] = adapter
    for address in remembered where isAllowed(address) {
      let device = BLEDevice(id, address)
      let due = now + hesitation()
      if devices.add(device, mustFit: true, now: now, dueAt: due) {
        devices.update(device) { $0.isKnown = true }
      }
    }
    advance(now: now)
  }

  mutating func adapterDown(_ id: AdapterID, because reason: String, now: Instant) {
    guard let gone = adapters.removeValue(forKey: id) else { return }
    for link in linksInOrder where link.device.adapter == id {
      remove(link.id, because: .lost("\(gone.description.name): \(reason)"), now: now)
    }
    for entry in devices.inOrder where entry.device.adapter == id && entry.isKnown {
      remember(entry.device.address)
    }
    devices.removeAll(on: id)
    advance(now: now)
  }

  private mutating func remember(_ address: BLEAddress) {
    remembered.removeAll { $0 == address }
    remembered.append(address)
    if remembered.count > limits.remembered { remembered.removeFirst() }
  }

  mutating func scanEnded(on id: AdapterID, now: Instant) {
    change(id) { adapter, limits in
      guard adapter.isScanning else { return }
      adapter.isScanning = false
      adapter.scanEnds = now - adapter.heardAt > limits.scanRenewal ? 1 : adapter.scanEnds + 1
      adapter.scanAt = now + Self.pause(afterEnds: adapter.scanEnds, limits)
    }
    advance(now: now)
  }

  mutating func advertisingEnded(on id: AdapterID, now: Instant) {
    change(id) { adapter, limits in
      guard adapter.isAdvertising else { return }
      adapter.isAdvertising = false
      adapter.advertisingEnds += 1
      adapter.advertiseAt = now + Self.pause(afterEnds: adapter.advertisingEnds, limits)
    }
    advance(now: now)
  }

  private static func pause(afterEnds ends: Int, _ limits: BLELimits) -> Duration {
    min(limits.restartPause * (1 << min(max(ends, 1) - 1, 16)), limits.maximumBackoff)
  }

  mutating func change(_ id: AdapterID, _ change: (inout Adapter, BLELimits) -> Void) {
    if var adapter = adapters[id] {
      change(&adapter, limits)
      adapters[id] = adapter
    }
  }

  /// The system woke from suspend: whatever waits is tried now.
  mutating func resumed(now: Instant) {
    for entry in devices.inOrder where entry.link == nil && !entry.isPenalised(at: now) {
      let due = now + hesitation()
      devices.update(entry.device) {
        $0.failures = 0
        $0.dueAt = min($0.dueAt, due)
        if $0.isKnown { $0.missedSince = now }
      }
    }
    for adapter in adaptersInOrder {
      renewScan(on: adapter.id, now: now)
      change(adapter.id) { adapter, _ in
        adapter.scanAt = now
        adapter.advertiseAt = now
        adapter.nextBlindAt = now
      }
    }
    advance(now: now)
  }

  // MARK: Time

  /// When `wake` has something to do; nil: never.
  var nextDeadline: Instant? {
    var soonest = Instant.distantFuture
    for adapter in adapters.values {
      soonest = min(soonest, adapter.attempt?.until ?? adapter.turnEndsAt)
      if adapter.isScanning {
        soonest = min(soonest, adapter.heardAt + limits.scanRenewal)
      } else if wantsScan(adapter) {
        soonest = min(soonest, adapter.scanAt)
      }
      if !adapter.isAdvertising, wantsAdvertising(adapter) {
        soonest = min(soonest, adapter.advertiseAt)
      }
    }
    for entry in devices.all where entry.link == nil {
      if let due = nextAttempt(at: entry) { soonest = min(soonest, due) }
      if !entry.isKnown { soonest = min(soonest, devices.keptUntil(entry)) }
    }
    for link in links.values where !link.isProved {
      soonest = min(soonest, link.upAt + limits.proofTimeout)
    }
    if let end = endOfPauses { soonest = min(soonest, end) }
    return soonest == .distantFuture ? nil : soonest
  }

  mutating func wake(now: Instant) {
    for link in linksInOrder where !link.isProved && now >= link.upAt + limits.proofTimeout {
      close(
        link.id, because: .misbehaved("no packet in the first \(seconds(limits.proofTimeout)) s"),
        now: now)
    }
    wakeOutlets(now: now)
    advance(now: now)
  }

  func seconds(_ duration: Duration) -> Int64 { duration.components.seconds }

  // MARK: Chance

  /// How long to wait before connecting to somebody who may be about to connect to us.
  mutating func hesitation() -> Duration { part(of: .zero...limits.longestHesitation) }

  mutating func turn() -> Duration { part(of: limits.shortestTurn...limits.longestTurn) }

  private mutating func part(of range: ClosedRange<Duration>) -> Duration {
    let low = range.lowerBound.wholeMilliseconds
    let high = max(range.upperBound.wholeMilliseconds, low)
    return .milliseconds(Int64.random(in: low...high, using: &random))
  }
}
