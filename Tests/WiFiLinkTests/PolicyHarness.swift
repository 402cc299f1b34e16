import Discovery
import Link
import Wire

@testable import WiFiLink

/// A policy with a clock in hand, and what it asked for so far.
struct PolicyHarness {
  var policy: WiFiPolicy
  var now = Instant.zero
  private(set) var effects: [WiFiEffect] = []
  private var nextLink: UInt32 = 1
  /// Where what is asked about is.
  private var known: [ServiceSighting: Endpoint] = [:]

  static let own = InstanceID(value: 0x8000_0000_0000_0000)
  static let higher = InstanceID(value: 0x9000_0000_0000_0000)
  static let lower = InstanceID(value: 0x7000_0000_0000_0000)

  init(
    peers: Int = 0, seed: UInt64 = 1, own: InstanceID = Self.own,
    _ change: (inout WiFiLimits) -> Void = { _ in }
  ) {
    var limits = WiFiLimits.standard
    change(&limits)
    policy = WiFiPolicy(own: own, peers: peers, limits: limits, seed: seed, now: .zero)
  }

  /// Does something now; returns what the policy wants done.
  ///
  /// Where services are that `see` saw is answered at once.
  @discardableResult
  mutating func act(_ body: (inout WiFiPolicy, Instant) -> Void) -> [WiFiEffect] {
    body(&policy, now)
    var new = policy.takeEffects()
    var answered = 0
    while answered < new.count {
      if case .resolve(let sighting) = new[answered], let endpoint = known[sighting] {
        policy.resolved(sighting, at: endpoint, now: now)
        new += policy.takeEffects()
      }
      answered += 1
    }
    effects += new
    return new
  }

  /// Lets time pass, waking the policy whenever it wants to be woken.
  @discardableResult
  mutating func pass(_ duration: Duration) -> [WiFiEffect] {
    let end = now + duration
    var new: [WiFiEffect] = []
    var wakes = 0
    while let deadline = policy.nextDeadline, deadline <= end {
      now = max(now, deadline)
      new += act { $0.wake(now: $1) }
      wakes += 1
      precondition(wakes < 100_000, "the policy wants to be woken for ever")
    }
    now = end
    return new
  }

  mutating func link() -> LinkID {
    defer { nextLink += 1 }
    return LinkID(nextLink)
  }

  /// Sees a service, and answers where it is when asked.
  @discardableResult
  mutating func see(
    _ id: InstanceID, at endpoints: [Endpoint] = [.host(2)], interface: UInt32 = 2
  ) -> [WiFiEffect] {
    var new: [WiFiEffect] = []
    for endpoint in endpoints {
      let sighting = ServiceSighting.of(id, endpoint, interface: interface)
      known[sighting] = endpoint
      new += act { $0.serviceSeen(sighting, now: $1) }
    }
    return new
  }

  /// The dial asked for last is ready.
  @discardableResult
  mutating func connect(_ dial: DialID, to remote: Endpoint = .host(2)) -> LinkID {
    let link = link()
    let local = Endpoint(remote.address.isV6 ? remote.address : .v4(0x0A00_0001), port: 50_000)
    act { $0.dialled(dial, link, local: local, remote: remote, now: $1) }
    return link
  }

  /// Somebody connects.
  @discardableResult
  mutating func accept(from remote: Endpoint, to local: Endpoint = .host(1)) -> LinkID {
    let link = link()
    act { $0.accepted(link, local: local, remote: remote, now: $1) }
    return link
  }

  /// The first packet came over a link.
  @discardableResult
  mutating func prove(_ link: LinkID) -> [WiFiEffect] { act { policy, _ in policy.proved(link) } }

  /// A link's other end says who it is.
  mutating func claim(_ link: LinkID, _ value: UInt64) {
    act { policy, _ in policy.claimed(link, by: Fingerprint(value: value)) }
  }

  mutating func end(_ link: LinkID, _ reason: LinkCloseReason = .lost("reset")) {
    act { $0.ended(link, because: reason, now: $1) }
  }

  mutating func forget() { effects = [] }
}

extension Endpoint {
  /// `10.0.0.N:PORT`.
  static func host(_ number: UInt32, port: UInt16 = 4_000) -> Endpoint {
    Endpoint(.v4(0x0A00_0000 + number), port: port)
  }

  /// Reads `10.0.0.1` or `fe80::1`, with a scope and a port.
  static func parsed(_ text: String, scope: UInt32 = 0, port: UInt16 = 4_000) -> Endpoint {
    guard let address = IPAddress(parsing: text) else { preconditionFailure("no address: \(text)") }
    return Endpoint(address.scoped(to: scope), port: port)
  }
}

extension ServiceSighting {
  static func of(_ id: InstanceID, _ endpoint: Endpoint, interface: UInt32) -> ServiceSighting {
    ServiceSighting(
      type: .airlink, name: id.hex, interface: interface,
      family: endpoint.address.isV6 ? .v6 : .v4)
  }
}

extension [WiFiEffect] {
  /// The dials in it, in order.
  var dials: [(id: DialID, endpoint: Endpoint)] {
    compactMap { if case .dial(let id, let endpoint, _) = $0 { (id, endpoint) } else { nil } }
  }

  var endpoints: [Endpoint] { dials.map(\.endpoint) }

  var announced: [LinkID] {
    compactMap { if case .announce(let link) = $0 { link } else { nil } }
  }

  var refused: [LinkID] {
    compactMap { if case .refuse(let link) = $0 { link } else { nil } }
  }

  var closed: [LinkID] {
    compactMap { if case .close(let link, _) = $0 { link } else { nil } }
  }

  var cancelled: [DialID] {
    compactMap { if case .cancel(let dial) = $0 { dial } else { nil } }
  }

  var lookUps: [Int] {
    compactMap { if case .lookUp(let peer) = $0 { peer } else { nil } }
  }
}
