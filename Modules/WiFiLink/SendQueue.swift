internal import Wire

/// What waits to go out on one link: whole packets, voice before the others.
///
/// When a link is slower than what is to be sent on it, voice is shed first, the oldest before the
/// newest: sound that is late is worth nothing, a message is. Packets share their bytes with the
/// queues of other links, so a packet for a thousand links is held once.
struct SendQueue: Sendable {
  /// Packets written at once.
  static let maximumVectors = 16

  enum Offer: Hashable, Sendable {
    case queued
    case shed
  }

  private let limit: Int
  private let voiceLimit: Int
  /// The packet of which the first `written` bytes are gone: it must go on, whatever is shed.
  private var current: Packet?
  private var written = 0
  private var voice = PacketFIFO()
  private var others = PacketFIFO()
  /// Packets shed so far, and how many of them were voice.
  private(set) var shed = 0
  private(set) var shedVoice = 0

  init(limits: WiFiLimits) {
    limit = limits.queuedBytes
    voiceLimit = limits.queuedVoiceBytes
  }

  /// Bytes that wait.
  var byteCount: Int { voice.byteCount + others.byteCount + currentRest }
  var isEmpty: Bool { current == nil && voice.isEmpty && others.isEmpty }

  private var currentRest: Int { current.map { $0.encoded.count - written } ?? 0 }

  mutating func offer(_ packet: Packet) -> Offer {
    let size = packet.encoded.count
    guard packet.header.kind == .voice else {
      if byteCount + size > limit { shedAllVoice() }
      guard byteCount + size <= limit else {
        shed += 1
        return .shed
      }
      others.append(packet)
      return .queued
    }
    // Refused well before a message would be.
    guard size <= voiceLimit, byteCount - voice.byteCount + size <= limit / 2 else {
      shed += 1
      shedVoice += 1
      return .shed
    }
    while voice.byteCount + size > voiceLimit, voice.removeFirst() != nil {
      shed += 1
      shedVoice += 1
    }
    voice.append(packet)
    return .queued
  }

  /// Hands over what goes out next; the offset is into the first of them.
  func next() -> (packets: [Packet], offset: Int) {
    var packets: [Packet] = []
    if let current { packets.append(current) }
    voice.forEach(Self.maximumVectors - packets.count) { packets.append($0) }
    others.forEach(Self.maximumVectors - packets.count) { packets.append($0) }
    return (packets, written)
  }

  /// Takes note that the next `count` bytes are gone.
  ///
  /// - Returns: how many packets are gone whole with them.
  mutating func wrote(_ count: Int) -> Int {
    var left = count
    var whole = 0
    while left > 0 {
      if current == nil {
        current = voice.removeFirst() ?? others.removeFirst()
        written = 0
      }
      guard current != nil else { break }
      let part = min(left, currentRest)
      left -= part
      written += part
      if currentRest == 0 {
        current = nil
        written = 0
        whole += 1
      }
    }
    return whole
  }

  private mutating func shedAllVoice() {
    while voice.removeFirst() != nil {
      shed += 1
      shedVoice += 1
    }
  }
}

/// Packets in the order they came.
private struct PacketFIFO: Sendable {
  private var packets: [Packet?] = []
  private var head = 0
  private(set) var byteCount = 0

  var isEmpty: Bool { head == packets.count }

  mutating func append(_ packet: Packet) {
    packets.append(packet)
    byteCount += packet.encoded.count
  }

  mutating func removeFirst() -> Packet? {
    guard head < packets.count, let packet = packets[head] else { return nil }
    packets[head] = nil
    head += 1
    byteCount -= packet.encoded.count
    if head == packets.count {
      packets.removeAll(keepingCapacity: packets.count <= 64)
      head = 0
    } else if head >= 256 {
      packets.removeFirst(head)
      head = 0
    }
    return packet
  }

  /// Visits the first `count`.
  func forEach(_ count: Int, _ body: (Packet) -> Void) {
    for packet in packets[head...].prefix(max(count, 0)) {
      if let packet { body(packet) }
    }
  }
}
