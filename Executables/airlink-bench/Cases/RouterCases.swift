internal import CSodium
internal import CommandLine
internal import Router
internal import Wire

/// Deciding about sealed packets of 348 bytes, against the bare keyed hash of each.
///
/// The tables are as full as they get and the limits are those that ship. New packets for others
/// cost their link's tokens, so the clock that the router is told moves on by what a token takes.
enum RouterCases {
  static let copies = Subject(
    summary: "a copy of any packet that the full table holds", limit: limit
  ) { duration in
    let traffic = Traffic(packets: Router.Limits.standard.seenPackets, to: .another)
    traffic.judge(traffic.packets.count)
    traffic.step = .zero
    try traffic.expect { if case .duplicate = $0 { true } else { false } }
    return traffic.measure(duration)
  }

  static let relays = Subject(
    summary: "a new packet for another, relayed; the full table lets the oldest go", limit: limit
  ) { duration in
    // Twice as many as the table holds: after a round none is known any more.
    let traffic = Traffic(packets: 2 * Router.Limits.standard.seenPackets, to: .another)
    traffic.judge(traffic.packets.count)
    try traffic.expect { $0 == .accept(deliver: false, relayHopLimit: 6) }
    return traffic.measure(duration)
  }

  static let deliveries = Subject(
    summary: "a new packet for us; the full table lets the oldest go", limit: limit
  ) { duration in
    let traffic = Traffic(packets: 2 * Router.Limits.standard.seenSealedForUs, to: .us)
    traffic.judge(traffic.packets.count)
    try traffic.expect { $0 == .accept(deliver: true, relayHopLimit: nil) }
    return traffic.measure(duration)
  }

  private static let limit = "its bare keyed hash"

  private enum Destination: UInt64 {
    case us = 1
    case another = 2
  }

  /// Packets that come in on one link, over and over.
  private final class Traffic {
    let packets: [Packet]
    private var router: Router
    private var next = 0
    private var nextToHash = 0
    private var now = Instant.zero
    /// By how much the clock moves on a packet: at first, what one token takes to come back.
    var step: Duration
    private let link = LinkID(1)
    private let time = Timestamp(milliseconds: 1_764_489_600_000)
    private let key = Block([UInt8](repeating: 7, count: Int(crypto_shorthash_siphashx24_KEYBYTES)))
    private let hash = Block(count: Int(crypto_shorthash_siphashx24_BYTES))
    private let messages: [Block]

    init(packets count: Int, to destination: Destination) {
      let limits = Router.Limits.standard
      step = .seconds(1) / limits.packets.perSecond
      router = Router(
        ownFingerprint: Fingerprint(value: Destination.us.rawValue),
        hashKey: SipHashKey(k0: 1, k1: 2), limits: limits)
      router.linkUp(link)
      var random = SplitMix64(seed: 2)
      let time = time
      packets = (0..<count).map { _ in
        var id: [UInt8] = []
        id.append(bigEndian: random.next())
        id.append(bigEndian: random.next())
        return Packet(
          kind: .sealed, hopLimit: 7, time: time, id: PacketID(id) ?? PacketID(),
          destination: Fingerprint(value: destination.rawValue),
          payload: [UInt8](repeating: 0x5A, count: 304))
      }
      messages = packets.map { Block($0.encoded) }
    }

    /// Judges the next packets.
    func judge(_ count: Int) { for _ in 0..<count { keep(judgeNext()) } }

    /// Checks what becomes of each packet, once.
    func expect(_ isExpected: (Router.Decision) -> Bool) throws(Failure) {
      for _ in packets {
        let decision = judgeNext()
        guard isExpected(decision) else { throw Failure("decided otherwise: \(decision)") }
      }
    }

    func measure(_ duration: Duration) -> Measurement {
      let times = Turns(subject: judge, limit: hash).measure(for: duration)
      var measurement = Measurement(subject: times.subject, limit: times.limit)
      measurement.figures[.allocations] = Allocations.each(packets.count, judge)
      return measurement
    }

    @inline(__always) private func judgeNext() -> Router.Decision {
      now = now + step
      let packet = packets[next]
      let decision = router.receive(
        packet.view, from: link, now: now, wallClock: time, verifyHello: { _ in false })
      next += 1
      if next == packets.count { next = 0 }
      return decision
    }

    /// The hash that the router takes too, by libsodium.
    private func hash(_ count: Int) {
      for _ in 0..<count {
        let message = messages[nextToHash]
        crypto_shorthash_siphashx24(
          hash.bytes, message.bytes + 12, UInt64(message.count - 12), key.bytes)
        keep(hash)
        nextToHash += 1
        if nextToHash == messages.count { nextToHash = 0 }
      }
    }
  }
}
