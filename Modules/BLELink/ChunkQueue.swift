internal import Wire

/// What waits to go out on one link: whole packets, voice before the others.
///
/// Its measure are chunks (PROTOCOL, section 8): with 64 waiting, a packet more is shed. For a
/// message, voice that waits makes room, the oldest first: sound that is late is worth nothing, a
/// message is. A packet is never cut short: whatever begins to go out goes out whole, or again from
/// its first byte on another path.
struct ChunkQueue: Sendable {
  enum Offer: Hashable, Sendable {
    case queued
    case shed
  }

  /// The packet that goes out now.
  struct Current: Sendable {
    let packet: Packet
    /// Bytes of it that are gone.
    var sent = 0
    /// Whether it needs, or needed, more than one chunk.
    var isCut = false
  }

  private struct Waiting: Sendable {
    let packet: Packet
    let since: Instant
  }

  private let limits: BLELimits
  private(set) var current: Current?
  private var voice: [Waiting] = []
  private var others: [Waiting] = []
  /// Chunks that `voice` and `others` make at `chunkSize`.
  private var voiceChunks = 0
  private var otherChunks = 0
  private(set) var chunkSize: Int
  /// Packets shed so far, and how many of them were voice.
  private(set) var shed = 0
  private(set) var shedVoice = 0

  init(limits: BLELimits, chunkSize: Int) {
    self.limits = limits
    self.chunkSize = max(chunkSize, 1)
  }

  var isEmpty: Bool { current == nil && voice.isEmpty && others.isEmpty }
  /// Whether the next packet to begin is voice.
  var hasVoice: Bool { !voice.isEmpty }
  /// Chunks that wait, at the size chunks have now.
  var chunkCount: Int {
    voiceChunks + otherChunks
      + (current.map { chunks($0.packet.encoded.count - $0.sent) } ?? 0)
  }
  var byteCount: Int {
    voice.reduce(0) { $0 + $1.packet.encoded.count }
      + others.reduce(0) { $0 + $1.packet.encoded.count }
      + (current.map { $0.packet.encoded.count - $0.sent } ?? 0)
  }

  private func chunks(_ bytes: Int) -> Int { (bytes + chunkSize - 1) / chunkSize }

  /// Chunks have another size from now on.
  mutating func setChunkSize(_ size: Int) {
    guard size != chunkSize, size > 0 else { return }
    chunkSize = size
    voiceChunks = voice.reduce(0) { $0 + chunks($1.packet.encoded.count) }
    otherChunks = others.reduce(0) { $0 + chunks($1.packet.encoded.count) }
  }

  /// Takes a packet, or sheds it whole.
  mutating func offer(_ packet: Packet, now: Instant) -> Offer {
    let isVoice = packet.header.kind == .voice
    if isVoice {
      while voice.count >= limits.queuedVoice { shedOldestVoice() }
    } else if chunkCount - voiceChunks < limits.queuedChunks {
      while chunkCount >= limits.queuedChunks { shedOldestVoice() }
    }
    guard chunkCount < limits.queuedChunks else {
      shed += 1
      if isVoice { shedVoice += 1 }
      return .shed
    }
    let entry = Waiting(packet: packet, since: now)
    if isVoice {
      voice.append(entry)
      voiceChunks += chunks(packet.encoded.count)
    } else {
      others.append(entry)
      otherChunks += chunks(packet.encoded.count)
    }
    return .queued
  }

  /// Begins with the next packet, if none is under way.
  ///
  /// - Returns: whether one is now.
  mutating func begin(now: Instant) -> Bool {
    if current != nil { return true }
    while let first = voice.first, now - first.since > limits.voiceAge { shedOldestVoice() }
    let next: Waiting
    if let first = voice.first {
      next = first
      removeVoice(at: 0)
    } else if !others.isEmpty {
      next = others.removeFirst()
      otherChunks -= chunks(next.packet.encoded.count)
    } else {
      return false
    }
    current = Current(packet: next.packet, isCut: next.packet.encoded.count > chunkSize)
    return true
  }

  /// Notes that a chunk of `count` bytes of the current packet is gone.
  ///
  /// - Returns: the packet, if that was its last.
  mutating func sent(_ count: Int) -> Packet? {
    guard var now = current else { return nil }
    now.sent += max(count, 0)
    if now.sent >= now.packet.encoded.count {
      current = nil
      return now.packet
    }
    now.isCut = true
    current = now
    return nil
  }

  /// The path of the current packet is over: it goes out again from its first byte.
  mutating func startAgain() {
    guard let packet = current?.packet else { return }
    current = Current(packet: packet, isCut: packet.encoded.count > chunkSize)
  }

  /// Takes out a packet that the other end has had by another link's path.
  mutating func removeCopy(of packet: Packet) -> Bool {
    if let begun = current, begun.sent == 0, begun.packet == packet {
      current = nil
      return true
    }
    if let index = voice.firstIndex(where: { $0.packet == packet }) {
      removeVoice(at: index)
      return true
    }
    guard let index = others.firstIndex(where: { $0.packet == packet }) else { return false }
    others.remove(at: index)
    otherChunks -= chunks(packet.encoded.count)
    return true
  }

  /// The link is over: everything that waits is shed and counted.
  mutating func shedAll() {
    while !voice.isEmpty { shedOldestVoice() }
    shed += others.count + (current == nil ? 0 : 1)
    if current?.packet.header.kind == .voice { shedVoice += 1 }
    others = []
    otherChunks = 0
    current = nil
  }

  private mutating func shedOldestVoice() {
    guard !voice.isEmpty else { return }
    removeVoice(at: 0)
    shed += 1
    shedVoice += 1
  }

  private mutating func removeVoice(at index: Int) {
    voiceChunks -= chunks(voice.remove(at: index).packet.encoded.count)
  }
}
