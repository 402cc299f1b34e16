internal import CommandLine
internal import Identity
internal import Mesh
internal import Router
internal import Wire

/// Taking in sealed packets of 348 bytes on one of 200 links, against the router's bare decision.
///
/// The mesh as it ships, with the real cryptography. What comes out is taken and counted: a relayed
/// packet is one effect, however many links it goes to.
enum MeshCases {
  static let copies = Subject(
    summary: "a copy of any packet that the full table holds, on one of 200 links", limit: limit
  ) { duration in
    let traffic = Traffic(packets: Router.Limits.standard.seenPackets)
    try traffic.expect(effects: 1)
    traffic.step = .zero
    try traffic.expect(effects: 0)
    return traffic.measure(duration)
  }

  static let relays = Subject(
    summary: "a new packet for another, relayed to 199 links", limit: limit
  ) { duration in
    let traffic = Traffic(packets: 2 * Router.Limits.standard.seenPackets)
    try traffic.expect(effects: 1)
    return traffic.measure(duration)
  }

  private static let limit = "the router's decision"
  private static let linkCount: UInt32 = 200

  /// Packets for somebody else that come in on one link, over and over.
  private final class Traffic {
    let packets: [Packet]
    private var mesh: Mesh<SealedCryptography>
    private var router: Router
    private var next = (mesh: 0, router: 0)
    private var now = (mesh: Instant.zero, router: Instant.zero)
    /// By how much the clock moves on a packet: at first, what one token takes to come back.
    var step: Duration
    private let link = LinkID(linkCount / 2)
    private let time = Timestamp(milliseconds: 1_764_489_600_000)

    init(packets count: Int) {
      let limits = Router.Limits.standard
      step = .seconds(1) / limits.packets.perSecond
      mesh = Mesh(
        cryptography: SealedCryptography(.generate()), name: "bench", limits: limits, now: .zero)
      router = Router(
        ownFingerprint: Fingerprint(value: 1), hashKey: SipHashKey(k0: 1, k1: 2), limits: limits)
      for link in 0..<linkCount {
        mesh.linkUp(
          LinkID(link), endpoint: "\(link)", at: Moment(instant: .zero, wallClock: time))
        router.linkUp(LinkID(link))
      }
      _ = mesh.takeEffects()
      var random = SplitMix64(seed: 2)
      let time = time
      packets = (0..<count).map { _ in
        var id: [UInt8] = []
        id.append(bigEndian: random.next())
        id.append(bigEndian: random.next())
        return Packet(
          kind: .sealed, hopLimit: 7, time: time, id: PacketID(id) ?? PacketID(),
          destination: Fingerprint(value: 2), payload: [UInt8](repeating: 0x5A, count: 304))
      }
    }

    /// Takes in each packet, once, and checks how many effects come of it.
    func expect(effects: Int) throws(Failure) {
      for _ in packets {
        let found = receive()
        guard found == effects else { throw Failure("\(found) effects and not \(effects)") }
      }
      decide(packets.count)
    }

    func measure(_ duration: Duration) -> Measurement {
      let take: (Int) -> Void = { for _ in 0..<$0 { keep(self.receive()) } }
      let times = Turns(subject: take, limit: decide).measure(for: duration)
      var measurement = Measurement(subject: times.subject, limit: times.limit)
      measurement.figures[.allocations] = Allocations.each(packets.count, take)
      return measurement
    }

    @inline(__always) private func receive() -> Int {
      now.mesh = now.mesh + step
      let packet = packets[next.mesh]
      mesh.receive(packet.view, from: link, at: Moment(instant: now.mesh, wallClock: time))
      next.mesh = next.mesh + 1 == packets.count ? 0 : next.mesh + 1
      return mesh.takeEffects().count
    }

    private func decide(_ count: Int) {
      for _ in 0..<count {
        now.router = now.router + step
        let packet = packets[next.router]
        keep(
          router.receive(
            packet.view, from: link, now: now.router, wallClock: time, verifyHello: { _ in false }))
        next.router = next.router + 1 == packets.count ? 0 : next.router + 1
      }
    }
  }
}
