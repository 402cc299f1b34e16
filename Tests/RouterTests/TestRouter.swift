import Router
import Wire

extension Fingerprint {
  static let own = Fingerprint(value: 0x0101)
  static let other = Fingerprint(value: 0x0202)
}

extension LinkID {
  static let a = LinkID(1)
  static let b = LinkID(2)
  static let c = LinkID(3)
}

extension Timestamp {
  /// A day in 2024, when most packets here are made and most clocks here stand.
  static let noon = Timestamp(milliseconds: 1_717_243_200_000)
}

extension PacketID {
  static func numbered(_ number: UInt64) -> PacketID {
    var bytes = [UInt8](repeating: 0, count: 8)
    bytes.append(bigEndian: number)
    return PacketID(bytes) ?? PacketID()
  }
}

/// A router with links a, b and c up, and a clock that stands still unless told.
struct TestRouter {
  var router: Router
  var now = Instant.zero
  var wallClock = Timestamp.noon
  var signatureHolds = true
  private(set) var verified = 0

  init(_ limits: Router.Limits = .standard, links: [LinkID] = [.a, .b, .c]) {
    router = Router(
      ownFingerprint: .own, hashKey: SipHashKey(k0: 0x1234, k1: 0x5678), limits: limits)
    for link in links { router.linkUp(link) }
  }

  @discardableResult
  mutating func receive(_ packet: Packet, from link: LinkID = .a) -> Router.Decision {
    let holds = signatureHolds
    var calls = 0
    let decision = router.receive(packet.view, from: link, now: now, wallClock: wallClock) { _ in
      calls += 1
      return holds
    }
    verified += calls
    return decision
  }

  /// Uses up what `link` may send of packets for others, with packets numbered from `number`.
  mutating func exhaust(_ link: LinkID, from number: UInt64 = 1 << 40) {
    for offset in 0..<400 as Range<UInt64> {
      receive(.sealed(number + offset, hopLimit: 1), from: link)
    }
  }

  func fill(_ table: String) -> Int {
    router.bounds.first { $0.name == table }?.fill ?? -1
  }

  func statistic(_ name: String) -> Int {
    router.statistics.first { $0.name == name }?.value ?? -1
  }
}

extension Packet {
  static func sealed(
    _ number: UInt64, to destination: Fingerprint = .other, hopLimit: UInt8 = 5,
    time: Timestamp = .noon, filled byte: UInt8 = 0, length: Int = 304
  ) -> Packet {
    Packet(
      kind: .sealed, hopLimit: hopLimit, time: time, id: .numbered(number),
      destination: destination, payload: [UInt8](repeating: byte, count: length))
  }

  static func hello(
    _ number: UInt64, hopLimit: UInt8 = 2, time: Timestamp = .noon, filled byte: UInt8 = 0
  ) -> Packet {
    Packet(
      kind: .hello, hopLimit: hopLimit, time: time, id: .numbered(number),
      destination: .everyone, payload: [UInt8](repeating: byte, count: 129))
  }

  static func voice(
    _ number: UInt64, to destination: Fingerprint = .own, time: Timestamp = .noon
  ) -> Packet {
    Packet(
      kind: .voice, hopLimit: 1, time: time, id: .numbered(number), destination: destination,
      payload: [UInt8](repeating: 0, count: 80))
  }

  /// Anything the chunker lets pass; a sealed packet to somebody else unless told otherwise.
  static func raw(
    _ number: UInt64, version: UInt8 = 1, kind: UInt8 = 2, hopLimit: UInt8 = 5, flags: UInt8 = 0,
    time: Timestamp = .noon, to destination: Fingerprint = .other, length: Int = 304
  ) -> Packet {
    Packet(
      unchecked: version, kind: kind, hopLimit: hopLimit, flags: flags, time: time,
      id: .numbered(number), destination: destination,
      payload: [UInt8](repeating: 0, count: length))
  }
}

extension Router.Decision {
  static let delivered = Self.accept(deliver: true, relayHopLimit: nil)
  /// Neither delivered nor relayed, and remembered.
  static let ended = Self.accept(deliver: false, relayHopLimit: nil)
  static let copy = Self.duplicate(.init())

  static func relayed(_ hopLimit: UInt8) -> Self {
    .accept(deliver: false, relayHopLimit: hopLimit)
  }

  var relayHopLimit: UInt8? {
    switch self {
    case .accept(_, let hopLimit): hopLimit
    case .duplicate(let copy): copy.relayHopLimit
    case .drop: nil
    }
  }
}
