internal import Wire

/// What was sent, shown and relayed, to hold every step against the rules.
struct Ledger {
  /// As long as the router remembers what it has seen.
  private static let relayMemory: Int64 = 30 * 60 * 1_000_000_000
  private static let memorySeconds = UInt64(relayMemory / 1_000_000_000)
  /// Packets received after which the router may have forgotten one: the 8,192 that it remembers,
  /// less what comes in while a relay waits and what a device sends itself in the meantime.
  private static let relayEntries: UInt64 = 7_000

  private struct Shown: Hashable {
    var device: Int
    var id: MessageID
  }

  private(set) var texts: [SentText] = []
  private var places: [MessageID: Int] = [:]
  /// Which life of its device a message was shown in.
  private var shown: [Shown: Int] = [:]
  /// By device, life and packet: when it was relayed, and after how many packets received.
  private var relayed = RecentTable(lifetime: relayMemory)
  /// By the same key: when a packet was first seen with no hop left, and so not relayed.
  private var seenUnrelayed = RecentTable(lifetime: relayMemory)
  /// Who sent a packet first, plus one.
  private var origins = RecentTable(lifetime: relayMemory)

  // MARK: Texts

  mutating func write(_ text: SentText, _ id: MessageID) {
    places[id] = texts.count
    texts.append(text)
  }

  func place(of id: MessageID) -> Int? { places[id] }

  subscript(place: Int) -> SentText {
    get { texts[place] }
    set { texts[place] = newValue }
  }

  /// A device shows a message.
  ///
  /// - Returns: the rule that is broken by it.
  mutating func show(
    _ id: MessageID, _ text: String, from sender: Int?, at device: Int, life: Int,
    isRemembered: Bool, now: Instant
  ) -> String? {
    let key = Shown(device: device, id: id)
    // A restart forgets what strangers said.
    if let before = shown[key], before == life || isRemembered {
      return "message \(id) is shown a second time"
    }
    shown[key] = life
    guard let place = places[id] else { return "message \(id) is shown and nobody wrote it" }
    let written = texts[place]
    guard written.recipient == device else {
      return "message \(id) is shown and was written to device \(written.recipient)"
    }
    guard written.sender == sender, written.text == text else {
      return "message \(id) is shown and is not what device \(written.sender) wrote"
    }
    if texts[place].shownAt == nil { texts[place].shownAt = now }
    return nil
  }

  /// A message is told to be delivered.
  mutating func deliver(_ id: MessageID, to device: Int, now: Instant) -> String? {
    guard let place = places[id] else { return "message \(id) is delivered and nobody wrote it" }
    guard texts[place].sender == device else {
      return "message \(id) is delivered at device \(device), which did not write it"
    }
    guard texts[place].shownAt != nil else { return "message \(id) is delivered and not shown" }
    guard texts[place].deliveredAt == nil else { return "message \(id) is delivered twice" }
    texts[place].deliveredAt = now
    return nil
  }

  // MARK: Packets

  static func key(of header: PacketHeader) -> UInt64 {
    mixed(header.id.firstWord, UInt64(header.crc))
  }

  /// Whether a packet comes from this device; the first to send it is its origin.
  mutating func isOrigin(_ device: Int, of packet: UInt64, at now: Int64) -> Bool {
    if let origin = origins.value(of: packet) { return origin == UInt64(device) + 1 }
    origins.set(packet, UInt64(device) + 1, at: now)
    return true
  }

  func isKnown(_ packet: UInt64) -> Bool { origins.value(of: packet) != nil }

  private static func key(_ packet: UInt64, _ device: Int, _ life: Int) -> UInt64 {
    mixed(packet, UInt64(device) << 16 | UInt64(truncatingIfNeeded: life))
  }

  private static func seconds(_ time: Int64) -> UInt64 { UInt64(time / 1_000_000_000) }

  /// A packet with no hop left reaches a device: from then on the router remembers it, relayed later
  /// or not.
  mutating func seeUnrelayed(_ packet: UInt64, by device: Int, life: Int, now: Int64) {
    let key = Self.key(packet, device, life)
    let seconds = Self.seconds(now)
    if let before = seenUnrelayed.value(of: key), seconds - before < Self.memorySeconds { return }
    if let before = relayed.value(of: key), seconds - before >> 32 < Self.memorySeconds { return }
    seenUnrelayed.set(key, seconds, at: now)
  }

  /// A device relays a packet, having received so many.
  mutating func relay(
    _ packet: UInt64, by device: Int, life: Int, received: UInt64, now: Int64
  ) -> String? {
    let key = Self.key(packet, device, life)
    var seconds = Self.seconds(now)
    if let before = relayed.value(of: key) {
      let (time, count) = (before >> 32, before & 0xFFFF_FFFF)
      // What a full table had to forget may be relayed again; so many arrivals could have filled it.
      if seconds - time < Self.memorySeconds,
        received &- count < Self.relayEntries
      {
        return "a packet is relayed a second time"
      }
    }
    // The router's memory of it may have begun before, when it was seen with no hop left.
    if let first = seenUnrelayed.value(of: key), seconds - first < Self.memorySeconds {
      seconds = first
    }
    relayed.set(key, seconds << 32 | received & 0xFFFF_FFFF, at: now)
    return nil
  }
}
