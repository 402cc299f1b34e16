internal import Wire

/// Devices that are heard, were heard, or are linked; bounded, for anybody can be heard under any
/// number of addresses.
struct DeviceTable: Sendable {
  struct Entry: Sendable {
    let device: BLEDevice
    /// When it was heard last; nil when it only connected to us, or is remembered.
    var heardAt: Instant?
    /// Whether it ever had a link that brought a packet: it is connected to again unasked.
    var isKnown = false
    /// When a known device was last linked, or first missed.
    var missedSince: Instant
    var failures = 0
    /// Not connected to before.
    var dueAt: Instant
    /// When connecting began last.
    var triedAt: Instant?
    /// Its connections are refused until then.
    var penalisedUntil: Instant?
    /// Whether what the system remembers of its services was thrown away since it was last linked.
    var isForgotten = false
    var link: LinkID?
    var flaps: FaultWindow

    func isPenalised(at now: Instant) -> Bool { penalisedUntil.map { now < $0 } ?? false }
  }

  private let limits: BLELimits
  private var entries: [BLEDevice: Entry] = [:]

  init(limits: BLELimits) { self.limits = limits }

  var count: Int { entries.count }
  subscript(device: BLEDevice) -> Entry? { entries[device] }

  /// All of them, in any order.
  var all: some Collection<Entry> { entries.values }

  /// All of them, in an order that is the same in every run.
  var inOrder: [Entry] {
    entries.values.sorted {
      ($0.device.adapter, $0.device.address) < ($1.device.adapter, $1.device.address)
    }
  }

  mutating func update(_ device: BLEDevice, _ change: (inout Entry) -> Void) {
    if var entry = entries[device] {
      change(&entry)
      entries[device] = entry
    }
  }

  /// Makes an entry where there is none, for which another may have to go.
  ///
  /// - Returns: whether there is one now; not when all others are linked, or worth more.
  mutating func add(_ device: BLEDevice, mustFit: Bool, now: Instant, dueAt: Instant) -> Bool {
    if entries[device] != nil { return true }
    if entries.count >= limits.devices {
      // Strangers first, those that failed most, those not heard for longest; never a link, and
      // for a mere sighting never a known device.
      let victim = inOrder.filter { $0.link == nil && (mustFit || !$0.isKnown) }.max { a, b in
        if a.isKnown != b.isKnown { return a.isKnown }
        if a.failures != b.failures { return a.failures < b.failures }
        return (a.heardAt ?? .zero) > (b.heardAt ?? .zero)
      }
      guard let victim else { return false }
      entries[victim.device] = nil
    }
    entries[device] = Entry(
      device: device, missedSince: now, dueAt: dueAt,
      flaps: FaultWindow(limit: limits.flaps, window: limits.flapWindow))
    return true
  }

  mutating func remove(_ device: BLEDevice) { entries[device] = nil }

  mutating func removeAll(on adapter: AdapterID) {
    entries = entries.filter { $0.key.adapter != adapter }
  }

  /// Until when a stranger is kept who is not heard any more.
  func keptUntil(_ entry: Entry) -> Instant {
    let last = max(entry.heardAt ?? entry.missedSince, entry.triedAt ?? .zero)
    return max(last + limits.forgottenAfter, entry.penalisedUntil ?? .zero)
  }

  /// Drops strangers that were not heard for long.
  mutating func forgetUnheard(now: Instant) {
    let gone = entries.values.filter {
      $0.link == nil && !$0.isKnown && now >= keptUntil($0)
    }
    for entry in gone { entries[entry.device] = nil }
  }
}
