import Outbox
import Testing
import Wire

extension LinkID {
  static let a = LinkID(1)
  static let b = LinkID(2)
}

extension Timestamp {
  static let noon = Timestamp(milliseconds: 1_717_243_200_000)
}

extension MessageID {
  static func numbered(_ number: UInt64) -> MessageID {
    var bytes = [UInt8](repeating: 0, count: 8)
    bytes.append(bigEndian: number)
    return MessageID(bytes) ?? MessageID()
  }
}

/// An outbox, two clocks that move together unless one is set, and all it ever asked for.
struct TestOutbox {
  var outbox: Outbox<String>
  private(set) var now = Instant.zero
  var wallClock = Timestamp.noon
  /// Everything the outbox asked for, and when.
  private(set) var log: [(at: Instant, effect: OutboxEffect)] = []
  private(set) var wakes = 0
  private var nextPacketID: UInt64 = 1 << 60

  init(_ limits: OutboxLimits = .standard, seed: UInt64 = 1) {
    outbox = Outbox(limits: limits, seed: seed)
  }

  static func packet(_ number: UInt64, time: Timestamp, length: Int = 304) -> Packet {
    Packet(
      kind: .sealed, hopLimit: 7, time: time, id: PacketID(.numbered(number)),
      destination: Fingerprint(value: 9), payload: [UInt8](repeating: 0, count: length))
  }

  mutating func add(
    _ number: UInt64, to recipient: String = "C", size: Int = 10, length: Int = 304
  ) throws(OutboxError) {
    note(
      try outbox.add(
        Self.packet(number, time: wallClock, length: length), to: recipient, size: size,
        now: now, wallClock: wallClock))
  }

  mutating func linkUp(_ link: LinkID = .a) {
    note(outbox.linkUp(link, now: now, wallClock: wallClock))
  }

  mutating func linkDown(_ link: LinkID = .a) { outbox.linkDown(link) }

  mutating func hello(_ recipient: String = "C") {
    note(outbox.heard(recipient, now: now, wallClock: wallClock))
  }

  mutating func shed(_ number: UInt64, on link: LinkID = .a) {
    outbox.packetWasShed(.numbered(number), on: link, now: now, wallClock: wallClock)
  }

  mutating func receipt(_ number: UInt64, from sender: String = "C") {
    note(outbox.receipt(for: .numbered(number), from: sender))
  }

  mutating func wake() {
    wakes += 1
    note(outbox.wake(now: now, wallClock: wallClock))
  }

  /// Moves both clocks on, waking the outbox whenever it wants to be.
  mutating func pass(_ duration: Duration) {
    let end = now + duration
    while let deadline = outbox.deadline, deadline <= end {
      move(to: max(now, deadline))
      wake()
      if let next = outbox.deadline {
        #expect(next > now, "an outbox that was just woken has nothing left to do")
        guard next > now else { return }
      }
    }
    move(to: end)
  }

  private mutating func move(to instant: Instant) {
    wallClock = wallClock.advanced(by: instant - now)
    now = instant
  }

  private mutating func note(_ effects: [OutboxEffect]) {
    for effect in effects {
      log.append((now, effect))
      // What the caller does: seal again under a fresh id, with the message's own time.
      if case .sendFresh(let id) = effect, let before = outbox.packet(of: id) {
        nextPacketID += 1
        outbox.replacePacket(
          of: id,
          with: Self.packet(
            nextPacketID, time: before.header.time,
            length: Int(before.header.payloadLength)))
      }
    }
  }

  // MARK: Looking back

  var effects: [OutboxEffect] { log.map(\.effect) }

  /// What was asked for since the last call.
  mutating func take() -> [OutboxEffect] {
    defer { log = [] }
    return effects
  }

  /// When something was asked for, in seconds.
  func times(_ effect: OutboxEffect) -> [Double] {
    log.filter { $0.effect == effect }.map { Double($0.at.nanoseconds) / 1e9 }
  }

  func times(ofFresh number: UInt64) -> [Double] { times(.sendFresh(.numbered(number))) }

  func fill(_ name: String) -> Int { outbox.bounds.first { $0.name == name }?.fill ?? -1 }
}

extension OutboxEffect {
  static func state(_ number: UInt64, _ state: MessageState) -> Self {
    .stateChanged(.numbered(number), state)
  }
  static func send(_ number: UInt64) -> Self { .send(.numbered(number)) }
  static func fresh(_ number: UInt64) -> Self { .sendFresh(.numbered(number)) }
  static func offer(_ number: UInt64, _ link: LinkID = .a) -> Self {
    .offer(.numbered(number), on: link)
  }
  static func ageLimit(_ number: UInt64) -> Self { .ageLimitReached(.numbered(number)) }
}
