internal import Discovery
internal import Wire

/// One whom we dial: where it was seen, where it may be, and how far we are with it.
struct DialTarget: Sendable {
  /// An address of the target.
  struct Place: Hashable, Sendable {
    let endpoint: Endpoint
    /// The interface it was found on; 0 for a named peer's.
    let interface: UInt32
    /// What was asked to find it; nil for a named peer's.
    let sighting: ServiceSighting?
  }

  /// One attempt under way.
  struct Attempt: Hashable, Sendable {
    let id: DialID
    let endpoint: Endpoint
    let deadline: Instant
  }

  /// One go through a target's addresses.
  struct Round: Sendable {
    var untried: [Place]
    var tried: Set<Endpoint> = []
    var attempts: [Attempt] = []
    /// Sightings asked about and not answered yet.
    var awaited: Set<ServiceSighting> = []
    /// Whether a named peer's addresses are being looked up.
    var isLookingUp = false
    /// Answers are not waited for past it.
    let awaitedUntil: Instant
    var nextDialAt: Instant

    var isAwaiting: Bool { isLookingUp || !awaited.isEmpty }
    var isOver: Bool { untried.isEmpty && attempts.isEmpty && !isAwaiting }

    /// Takes one more place to try, unless it had its try in this round.
    mutating func add(_ place: Place) {
      guard !tried.contains(place.endpoint),
        !untried.contains(where: { $0.endpoint == place.endpoint })
      else { return }
      untried.append(place)
    }
  }

  enum State: Sendable {
    case waiting(until: Instant)
    case trying(Round)
    case linked(LinkID)
    /// Another link leads to the same peer: not dialled while one of these lives.
    case held(by: Set<LinkID>)
    /// The address is our own.
    case ourselves
  }

  let key: Target
  var state: State
  var sightings: [ServiceSighting] = []
  var places: [Place] = []
  /// The address of the last link.
  var lastGood: Endpoint?
  /// Who was at the other end of the last link, by their own claim.
  var lastClaim: Fingerprint?
  /// Failures in a row.
  var failures = 0
  /// Whether the user was told so, once for all failures until there is a link again.
  var isToldUnreachable = false
  var roundStartedAt: Instant?
  /// Since when no interface sees the service.
  var goneSince: Instant?

  init(_ key: Target, dueAt: Instant) {
    self.key = key
    state = .waiting(until: dueAt)
  }

  var isBusy: Bool {
    switch state {
    case .linked, .held, .ourselves: true
    case .waiting, .trying: false
    }
  }

  /// Keeps an address, in place of the one the same question had for an answer before.
  mutating func remember(_ place: Place, limit: Int) {
    places.removeAll {
      $0.endpoint == place.endpoint || ($0.sighting != nil && $0.sighting == place.sighting)
    }
    places.insert(place, at: 0)
    if places.count > limit { places.removeLast(places.count - limit) }
  }
}

extension [DialTarget.Place] {
  /// Sorts into the order of trying: what was good last, this host, then addresses that hold beyond
  /// one cable, then link-local ones; IPv6 before IPv4 (RFC 6724 and RFC 8305 in their spirit).
  mutating func sortForDialling(lastGood: Endpoint?, network: NetworkSnapshot) {
    func rank(_ place: DialTarget.Place) -> Int {
      let address = place.endpoint.address
      if place.endpoint == lastGood { return 0 }
      if network.hasAddress(address) { return address.isLoopback ? 1 : 2 }
      return (address.isLinkLocal ? 5 : 3) + (address.isV6 ? 0 : 1)
    }
    // Stable, so that of two alike the one found last stays first.
    self = enumerated().sorted {
      (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
    }.map(\.element)
  }
}
