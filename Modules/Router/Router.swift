public import Wire

/// Decides for every packet that comes in: delivered, relayed, or dropped (PROTOCOL, section 3).
///
/// Managed flooding: a hop limit and a table of what was seen, no routes. A value without I/O: it is
/// told what came in and when, and keeps no packet, only that it was there.
///
/// The order of the checks is binding:
///
/// 1. Seen. Nothing comes before it, the link's share neither: a copy is free. A neighbour has to
///    send on what a third device floods, and would otherwise pay for it with its own share. A flood
///    of copies costs one keyed hash each, allocates nothing and goes no further.
/// 2. The link's share. Every other packet that is not for us costs a token before it is looked at
///    further, whatever then becomes of it.
/// 3. Form: version, kind, length, hop limit over the kind's, a destination that its kind has not.
/// 4. Age.
/// 5. Voice, for us or for nobody.
/// 6. For us.
/// 7. Hellos, verified; packets for others; both relayed when hops are left, and what this device
///    relays in all is not used up. A hello that is not relayed for that is delivered all the same.
///
/// Only what passes all of them leaves an entry in a table. What was refused, too old or over its
/// link's share may come again by another road and is judged afresh.
public struct Router: Sendable {
  private let own: Fingerprint
  private let key: SipHashKey
  private let limits: Limits
  private let maximumAge: UInt64
  private let maximumLead: UInt64

  private var seen: SeenTable
  private var seenVoice: SeenTable
  private var seenSealedForUs: SeenTable
  private var links = LinkShares()
  private var shareOfGone: TokenBucket
  private var relayed: TokenBucket
  private var counters = Counters()

  /// A router of the device with this fingerprint; `hashKey` is drawn afresh for every run.
  public init(ownFingerprint: Fingerprint, hashKey: SipHashKey, limits: Limits = .standard) {
    own = ownFingerprint
    key = hashKey
    self.limits = limits
    shareOfGone = limits.packets
    relayed = limits.relayed
    maximumAge = UInt64(clamping: limits.maximumAge.wholeMilliseconds)
    maximumLead = UInt64(clamping: limits.maximumLead.wholeMilliseconds)
    seen = SeenTable(capacity: limits.seenPackets, lifetime: limits.seenLifetime)
    seenVoice = SeenTable(capacity: limits.seenVoice, lifetime: limits.seenLifetime)
    seenSealedForUs = SeenTable(capacity: limits.seenSealedForUs, lifetime: limits.seenLifetime)
  }

  /// A link came up; its share stands full.
  public mutating func linkUp(_ link: LinkID) { links.add(link, limits) }

  /// A link went down and its share is forgotten: its number is never used again.
  public mutating func linkDown(_ link: LinkID) { links.remove(link) }

  /// Enters a packet that this device itself sends, so that its copies are known when they return.
  ///
  /// Voice is never relayed, so it does not return, and is not entered.
  public mutating func noteOwn(_ packet: Packet, now: Instant) {
    guard packet.header.kind != .voice else { return }
    let hash = key.contentHash(of: packet.view)
    if let position = seen.find(packet.header.id, hash: hash, now: now) {
      seen.setState(.own, at: position)
    } else {
      seen.insert(packet.header.id, hash: hash, state: .own, now: now)
    }
  }

  /// Takes a sealed packet for us, accepted before, out of the table again.
  ///
  /// For a packet shed unopened because its link's queue was full: a copy that comes in on another
  /// link must not be taken for had.
  public mutating func forget(_ packet: borrowing PacketView) {
    seenSealedForUs.forget(packet.header.id, hash: key.contentHash(of: packet))
  }

  /// Takes a token of a link's share for a packet of our own that something from it brought about.
  ///
  /// Links that went down meanwhile have one share together.
  ///
  /// - Returns: whether there was one.
  public mutating func takeShare(of link: LinkID, now: Instant) -> Bool {
    guard let index = links.index(of: link) else { return shareOfGone.take(at: now) }
    return links[index].takePacket(at: now)
  }

  /// Judges one packet that came in on `link`.
  ///
  /// `verifyHello` says whether a hello's signature holds; it is called for new hellos alone, after
  /// every cheaper check.
  public mutating func receive(
    _ packet: borrowing PacketView, from link: LinkID, now: Instant, wallClock: Timestamp,
    verifyHello: (borrowing PacketView) -> Bool
  ) -> Decision {
    let header = packet.header
    let hash = key.contentHash(of: packet)
    let isForUs = header.destination == own

    if let copy = copy(header, hash: hash, isForUs: isForUs, link, now, wallClock) {
      counters.duplicates &+= 1
      return .duplicate(copy)
    }
    let decision: Decision
    do throws(DropReason) {
      try takeToken(header, isForUs: isForUs, link, now)
      if let refusal = packet.refusal { throw DropReason(refusal) }
      try checkRules(header)
      try checkAge(header.time, wallClock)
      decision = try place(packet, hash: hash, isForUs: isForUs, link, now, verifyHello)
    } catch {
      counters.count(error)
      return .drop(error)
    }
    counters.count(decision)
    return decision
  }

  // MARK: The checks, in their order

  /// What this copy still tells, if the packet was seen.
  private mutating func copy(
    _ header: PacketHeader, hash: UInt64, isForUs: Bool, _ link: LinkID, _ now: Instant,
    _ wallClock: Timestamp
  ) -> Copy? {
    switch header.kind {
    case .voice:
      return seenVoice.find(header.id, hash: hash, now: now).map { _ in Copy(isVoice: true) }
    case .sealed where isForUs:
      return seenSealedForUs.find(header.id, hash: hash, now: now).map { _ in Copy() }
    case .hello, .sealed, .unknown: break
    }
    guard let position = seen.find(header.id, hash: hash, now: now) else { return nil }
    let state = seen.state(at: position)
    var copy = Copy()
    copy.isHelloAtFullHops =
      header.kind == .hello && header.hopLimit == header.kind.maximumHopLimit && state != .own
    // All copies before had no hops left. This one goes on, once, by the rules for any other
    // packet; what stands in its way is counted, and a later copy may still go.
    guard state == .unrelayed, let hopLimit = relayHopLimit(header.hopLimit) else { return copy }
    do throws(DropReason) {
      try takeToken(header, isForUs: isForUs, link, now)
      try checkRules(header)
      try checkAge(header.time, wallClock)
      try takeRelay(link, now)
      seen.setState(.settled, at: position)
      copy.relayHopLimit = hopLimit
      counters.relayed &+= 1
    } catch {
      counters.count(error)
    }
    return copy
  }

  private mutating func takeToken(
    _ header: PacketHeader, isForUs: Bool, _ link: LinkID, _ now: Instant
  ) throws(DropReason) {
    guard let index = links.index(of: link) else { throw .unknownLink }
    if header.kind == .voice {
      guard links[index].takeVoice(at: now) else { throw .overVoiceShare }
    } else if !isForUs {
      guard links[index].takePacket(at: now) else { throw .overShare }
    }
  }

  private mutating func takeRelay(_ link: LinkID, _ now: Instant) throws(DropReason) {
    guard let index = links.index(of: link) else { throw .unknownLink }
    guard
      links[index].takeRelay(
        of: &relayed, leaving: limits.relayReserve, linkCount: links.count, at: now)
    else { throw .overRelayShare }
  }

  private func checkRules(_ header: PacketHeader) throws(DropReason) {
    guard header.hopLimit <= header.kind.maximumHopLimit else { throw .hopLimitOverKind }
    let isForEveryone = header.destination == .everyone
    switch header.kind {
    case .hello: guard isForEveryone else { throw .helloToOne }
    case .voice: guard !isForEveryone else { throw .voiceToEveryone }
    case .sealed, .unknown: break
    }
  }

  /// Any 64-bit time can come from a radio: only differences that cannot overflow are formed.
  private func checkAge(_ time: Timestamp, _ wallClock: Timestamp) throws(DropReason) {
    let (time, clock) = (time.milliseconds, wallClock.milliseconds)
    if time <= clock {
      guard clock - time <= maximumAge else { throw .tooOld }
    } else {
      guard time - clock <= maximumLead else { throw .tooFarAhead }
    }
  }

  private mutating func place(
    _ packet: borrowing PacketView, hash: UInt64, isForUs: Bool, _ link: LinkID, _ now: Instant,
    _ verifyHello: (borrowing PacketView) -> Bool
  ) throws(DropReason) -> Decision {
    let header = packet.header
    switch header.kind {
    case .voice:
      guard isForUs else { throw .voiceForAnother }
      seenVoice.insert(header.id, hash: hash, state: .settled, now: now)
      return .accept(deliver: true, relayHopLimit: nil)
    case .sealed where isForUs:
      seenSealedForUs.insert(header.id, hash: hash, state: .settled, now: now)
      return .accept(deliver: true, relayHopLimit: nil)
    case .hello:
      let isRelayed = header.hopLimit < header.kind.maximumHopLimit
      guard let index = links.index(of: link) else { throw .unknownLink }
      guard links[index].takeHello(isRelayed: isRelayed, at: now) else {
        throw .overHelloShare
      }
      guard verifyHello(packet) else { throw .badSignature }
    case .sealed, .unknown: break
    }
    var hopLimit = relayHopLimit(header.hopLimit)
    if hopLimit != nil {
      do throws(DropReason) {
        try takeRelay(link, now)
      } catch {
        guard header.kind == .hello else { throw error }
        counters.count(error)
        hopLimit = nil
      }
    }
    seen.insert(
      header.id, hash: hash, state: hopLimit == nil ? .unrelayed : .settled, now: now)
    return .accept(deliver: header.kind == .hello, relayHopLimit: hopLimit)
  }

  /// What a packet that came with `hopLimit` is relayed with; nil when it goes no further.
  private func relayHopLimit(_ hopLimit: UInt8) -> UInt8? {
    hopLimit > 1 ? min(hopLimit, limits.relayHopLimit) - 1 : nil
  }
}

extension Router {
  /// Counters by name, for `/stats`; every reason to drop has one.
  public var statistics: [(name: String, value: Int)] { counters.list }

  /// How many packets were dropped for this reason.
  public func dropped(_ reason: DropReason) -> Int { counters.dropped(reason) }

  /// How many packets of this link were over its share; 0 for a link that is not up.
  public func overShare(of link: LinkID) -> Int {
    links.index(of: link).map { Int(clamping: links[$0].overShare) } ?? 0
  }

  /// Every table with how full it is and its bound, for `/stats`.
  ///
  /// The share of each link besides: one entry a link, bounded by how many links there may be.
  public var bounds: [(name: String, fill: Int, limit: Int)] {
    [
      ("seen-packets", seen.count, seen.capacity),
      ("seen-voice", seenVoice.count, seenVoice.capacity),
      ("seen-sealed-for-us", seenSealedForUs.count, seenSealedForUs.capacity),
    ]
  }
}
