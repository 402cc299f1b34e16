internal import Discovery
internal import Link
internal import Wire

/// Decides everything about Wi-Fi links that can be decided without a socket: whom to dial, when,
/// at which address, whom to let in, whom to close (PROTOCOL, section 8).
///
/// It is told what happened and the time, and collects what is to be done; `takeEffects` hands that
/// over. What it asks for is answered by further events, or not at all.
struct WiFiPolicy: Sendable {
  let limits: WiFiLimits
  /// The instance name we go by.
  private(set) var own: InstanceID
  /// Names that were ours: what the network still says of them is not another's.
  private var formerNames: [InstanceID] = []
  private(set) var network = NetworkSnapshot()

  var targets: [DialTarget] = []
  var links = LinkTable()
  var backoff: Backoff
  var tokens: TokenBucket
  var lastDial: UInt64 = 0
  var effects: [WiFiEffect] = []

  init(own: InstanceID, peers: Int, limits: WiFiLimits, seed: UInt64, now: Instant) {
    self.limits = limits
    self.own = own
    backoff = Backoff(
      first: limits.firstBackoff, maximum: limits.maximumBackoff, random: SplitMix64(seed: seed))
    tokens = TokenBucket(capacity: limits.dials, perSecond: limits.dialsPerSecond)
    targets = (0..<min(peers, limits.peers)).map { DialTarget(.peer($0), dueAt: now) }
  }

  mutating func takeEffects() -> [WiFiEffect] {
    defer { effects = [] }
    return effects
  }

  // MARK: Discovery

  mutating func serviceSeen(_ sighting: ServiceSighting, now: Instant) {
    guard let id = InstanceID(serviceName: sighting.name), isDialledByUs(id) else { return }
    guard let index = index(of: .service(id)) ?? add(.service(id), now: now),
      !targets[index].sightings.contains(sighting),
      targets[index].sightings.count < limits.sightingsPerService
    else { return }
    targets[index].sightings.append(sighting)
    targets[index].goneSince = nil
    if case .trying(var round) = targets[index].state {
      // It may be reachable by this road and no other.
      round.awaited.insert(sighting)
      effects.append(.resolve(sighting))
      targets[index].state = .trying(round)
    }
    hurry(index, now: now)
    advance(now: now)
  }

  mutating func serviceGone(_ sighting: ServiceSighting, now: Instant) {
    guard let id = InstanceID(serviceName: sighting.name), let index = index(of: .service(id)),
      let position = targets[index].sightings.firstIndex(of: sighting)
    else { return }
    targets[index].sightings.remove(at: position)
    if targets[index].sightings.isEmpty { targets[index].goneSince = now }
    advance(now: now)
  }

  /// Where a sighting is; nil when it could not be found out.
  mutating func resolved(_ sighting: ServiceSighting, at endpoint: Endpoint?, now: Instant) {
    guard let id = InstanceID(serviceName: sighting.name), let index = index(of: .service(id))
    else { return }
    changeRound(of: index) { $0.awaited.remove(sighting) }
    if let endpoint, endpoint.port > 0, network.mayAnnounce(endpoint.address) {
      let place = DialTarget.Place(
        endpoint: endpoint, interface: sighting.interface, sighting: sighting)
      targets[index].remember(place, limit: limits.addressesPerTarget)
      changeRound(of: index) { $0.add(place) }
    }
    advance(now: now)
  }

  /// The addresses of a named peer; none when they could not be found out.
  mutating func lookedUp(peer: Int, _ endpoints: [Endpoint], now: Instant) {
    guard let index = index(of: .peer(peer)) else { return }
    let found = endpoints.prefix(limits.addressesPerTarget)
      .filter { $0.address.isUnicast }
      .map { DialTarget.Place(endpoint: $0, interface: 0, sighting: nil) }
    if !found.isEmpty { targets[index].places = found }
    changeRound(of: index) { round in
      round.isLookingUp = false
      for place in found { round.add(place) }
    }
    advance(now: now)
  }

  /// Another host has our name: we go by a new one, and may now dial others than before.
  ///
  /// What is announced is to be told again, by `serviceSeen`.
  mutating func renamed(to id: InstanceID, now: Instant) {
    formerNames.append(own)
    if formerNames.count > limits.ownNames { formerNames.removeFirst() }
    own = id
    for index in targets.indices.reversed() where !isWanted(targets[index]) {
      if case .linked = targets[index].state { continue }
      remove(at: index)
    }
    advance(now: now)
  }

  // MARK: The machine

  /// Addresses or interfaces came or went.
  mutating func networkChanged(_ new: NetworkSnapshot, now: Instant) {
    let gone = network.addresses.subtracting(new.addresses).map(\.address)
      .filter { !new.hasAddress($0) }
    let isMore =
      !new.addresses.isSubset(of: network.addresses) || !new.running.isSubset(of: network.running)
    network = new
    for entry in links.inOrder where gone.contains(entry.local.address) {
      close(entry.id, because: .lost("the address \(entry.local.address) is gone"), now: now)
    }
    if isMore { probeAll(now: now) }
    if isMore || !gone.isEmpty { retryAll(now: now, afterPause: true) }
    advance(now: now)
  }

  /// The system woke from suspend.
  mutating func resumed(now: Instant) {
    probeAll(now: now)
    retryAll(now: now, afterPause: false)
    advance(now: now)
  }

  // MARK: Time

  /// When `wake` has something to do.
  var nextDeadline: Instant? {
    var soonest = Instant.distantFuture
    let isFull = roundCount >= limits.resolutions
    let hasRoom = attemptCount < limits.dials
    for target in targets {
      switch target.state {
      case .waiting(let until):
        if !isFull { soonest = min(soonest, until) }
      case .trying(let round):
        for attempt in round.attempts { soonest = min(soonest, attempt.deadline) }
        if round.isAwaiting { soonest = min(soonest, round.awaitedUntil) }
        if hasRoom, !round.untried.isEmpty, round.attempts.count < limits.dialsPerTarget {
          soonest = min(soonest, round.nextDialAt)
        }
      case .linked, .held, .ourselves: break
      }
      if !target.isBusy, let gone = target.goneSince {
        soonest = min(soonest, gone + limits.keepTryingAfterRemoval)
      }
    }
    for entry in links.entries.values {
      if !entry.isAnnounced { soonest = min(soonest, entry.upAt + limits.silence) }
      if !entry.isProved { soonest = min(soonest, entry.upAt + limits.proofTimeout) }
      if let until = entry.probedUntil { soonest = min(soonest, until) }
    }
    return soonest == .distantFuture ? nil : soonest
  }

  mutating func wake(now: Instant) {
    for entry in links.inOrder {
      if !entry.isAnnounced, now >= entry.upAt + limits.silence { announce(entry.id) }
      if !entry.isProved, now >= entry.upAt + limits.proofTimeout {
        close(entry.id, because: .misbehaved("no packet in the first 30 s"), now: now)
      } else if let until = entry.probedUntil, now >= until {
        links.update(entry.id) { $0.probedUntil = nil }
        effects.append(.settle(entry.id))
      }
    }
    advance(now: now)
  }

  // MARK: Who is who

  func index(of key: Target) -> Int? { targets.firstIndex { $0.key == key } }

  /// Of two that see each other, only the one with the lower identifier dials.
  func isDialledByUs(_ id: InstanceID) -> Bool { own < id && !formerNames.contains(id) }

  func isWanted(_ target: DialTarget) -> Bool {
    switch target.key {
    case .service(let id): isDialledByUs(id)
    case .peer: true
    }
  }

  /// A new target, for which an old one may have to make room; nil when all are in use.
  private mutating func add(_ key: Target, now: Instant) -> Int? {
    let services = targets.indices.filter {
      if case .service = targets[$0].key { true } else { false }
    }
    if services.count >= limits.services {
      // Gone ones first, then those that failed most, then the oldest.
      let victim = services.filter { !targets[$0].isBusy }.max { a, b in
        let (a, b) = (targets[a], targets[b])
        if (a.goneSince != nil) != (b.goneSince != nil) { return b.goneSince != nil }
        return a.failures < b.failures
      }
      guard let victim else { return nil }
      remove(at: victim)
    }
    targets.append(DialTarget(key, dueAt: now))
    return targets.count - 1
  }
}
