public import Discovery
internal import EventLoop
internal import Glibc
public import Link
public import Wire

/// What a Wi-Fi link is to do; the defaults suit a node without options.
public struct WiFiConfiguration {
  /// Random, made anew for every run.
  public var instance: InstanceID
  public var listen = ListenAddress.any
  /// Whom to dial without discovery, for as long as this runs.
  public var peers: [HostAndPort] = []
  public var discovery = DiscoveryMode.auto
  /// For jitter and for another instance name, should somebody have ours.
  public var seed: UInt64
  /// Numbers for links, never the same twice in this run; shared with other transports.
  public var nextLinkID: @MainActor () -> LinkID

  public init(
    instance: InstanceID, seed: UInt64, nextLinkID: @escaping @MainActor () -> LinkID
  ) {
    self.instance = instance
    self.seed = seed
    self.nextLinkID = nextLinkID
  }
}

/// Links over TCP on the local network: found by mDNS or named by the user, one packet after the
/// other on a stream (PROTOCOL, section 8).
///
/// `WiFiPolicy` decides, this carries out: sockets, timers, discovery and lookups are here, rules
/// are there.
@MainActor
public final class WiFiLink: LinkTransport {
  public let name = "wifi"
  public weak var observer: (any LinkObserver)?
  /// The port that is listened at; 0 before `start`.
  public private(set) var port: UInt16 = 0

  /// An attempt to connect.
  struct Dial {
    let descriptor: CInt
    let watch: EventLoop.Watch
  }

  let configuration: WiFiConfiguration
  let limits: WiFiLimits
  var policy: WiFiPolicy
  private(set) var isRunning = false
  /// What finds others, for whoever else has something to publish or to find; nil where nothing may
  /// be announced.
  public internal(set) var discovery: (any ServiceDiscovery)?
  var links: [LinkID: LinkSocket] = [:]
  var dials: [DialID: Dial] = [:]
  var counters = WiFiCounters()
  let lookup = HostLookup()
  /// Taken from the kernel here, then by the chunker: one buffer for all links.
  let buffer = ReceiveBuffer(byteCount: LinkSocket.bytesPerTurn)
  /// Links whose kernel queue is full.
  var blocked: Set<LinkID> = []

  private var listener: Listener?
  private var monitor: InterfaceMonitor?
  private var timer: EventLoop.Timer?
  private var timerDeadline: Instant?
  private var names: SplitMix64
  private var pending: [WiFiEffect] = []
  private var isCarryingOut = false
  private var toldExhausted = false

  public convenience init(_ configuration: WiFiConfiguration) {
    self.init(configuration, limits: .standard, discovery: nil)
  }

  /// For tests: other bounds, or another discovery than the configuration asks for.
  init(
    _ configuration: WiFiConfiguration, limits: WiFiLimits,
    discovery: (any ServiceDiscovery)? = nil
  ) {
    var limits = limits
    limits.accepted = min(limits.accepted, Self.connectionsAllowed(limits))
    self.configuration = configuration
    self.limits = limits
    self.discovery = discovery
    names = SplitMix64(seed: configuration.seed ^ 0x6E61_6D65)
    policy = WiFiPolicy(
      own: configuration.instance, peers: configuration.peers.count, limits: limits,
      seed: configuration.seed, now: MonotonicClock.now())
  }

  /// Listens, follows the interfaces, begins to look for others and to dial.
  ///
  /// - Throws: `WiFiLinkError`; nothing is left open then.
  public func start() throws {
    guard configuration.peers.count <= limits.peers else {
      throw WiFiLinkError.tooManyPeers(limit: limits.peers)
    }
    guard !isRunning else { return }
    listener = try Listener(
      at: configuration.listen, accepted: { [weak self] in self?.accepted($0) },
      exhausted: { [weak self] in self?.exhausted() })
    isRunning = true
    port = listener?.port ?? 0
    monitor = InterfaceMonitor { [weak self] snapshot in
      self?.tell { $0.networkChanged(snapshot, now: $1) }
      self?.discovery?.networkChanged()
    }
    if let snapshot = InterfaceMonitor.snapshot() {
      tell { $0.networkChanged(snapshot, now: $1) }
    }
    startDiscovery()
    tell { $0.wake(now: $1) }
  }

  public func close(_ link: LinkID, because reason: LinkCloseReason) {
    end(link, because: reason)
  }

  public func linkClaimed(_ link: LinkID, by peer: Fingerprint) {
    tell { policy, _ in policy.claimed(link, by: peer) }
  }

  public func systemResumed() { tell { $0.resumed(now: $1) } }

  public func stop() {
    guard isRunning else { return }
    listener?.stop()
    listener = nil
    monitor?.stop()
    monitor = nil
    if let timer { EventLoop.main.cancel(timer) }
    timer = nil
    for dial in dials.values {
      EventLoop.main.unwatch(dial.watch)
      Glibc.close(dial.descriptor)
    }
    dials = [:]
    for id in links.keys.sorted() {
      // What waits goes out as far as the kernel takes it at once.
      if let link = links[id] { _ = try? link.flush(now: MonotonicClock.now()) }
      shut(id, because: .stopping)
    }
    isRunning = false
    discovery?.stop()
    discovery = nil
    port = 0
  }

  // MARK: The policy

  /// Tells the policy what happened, and does what it wants.
  func tell(_ event: (inout WiFiPolicy, Instant) -> Void) {
    event(&policy, MonotonicClock.now())
    pending += policy.takeEffects()
    // What an effect brings about is done after the effects that were there before it.
    guard !isCarryingOut else { return }
    isCarryingOut = true
    while !pending.isEmpty {
      let effects = pending
      pending = []
      for effect in effects { carryOut(effect) }
    }
    isCarryingOut = false
    schedule()
  }

  /// Whether effects are being carried out right now.
  var isBusy: Bool { isCarryingOut }

  private func wake() {
    timerDeadline = nil
    let now = MonotonicClock.now()
    for id in blocked.sorted() {
      guard let link = links[id], now >= link.lastProgress + limits.stallTimeout else { continue }
      end(id, because: .lost("it took no bytes for \(limits.stallTimeout.components.seconds) s"))
    }
    tell { $0.wake(now: $1) }
  }

  /// Sets the one timer to the next moment at which something is due.
  func schedule() {
    guard isRunning, !isCarryingOut else { return }
    var deadline = policy.nextDeadline
    for id in blocked {
      guard let link = links[id] else { continue }
      deadline = min(deadline ?? .distantFuture, link.lastProgress + limits.stallTimeout)
    }
    guard deadline != timerDeadline else { return }
    timerDeadline = deadline
    if let timer { EventLoop.main.cancel(timer) }
    timer = deadline.map { deadline in
      EventLoop.main.after(deadline - MonotonicClock.now()) { [weak self] in self?.wake() }
    }
  }

  // MARK: Discovery

  private func startDiscovery() {
    if discovery == nil, configuration.discovery != .off {
      discovery = AvahiDiscovery(
        configuration.discovery, hostLabel: "airlink-\(configuration.instance.hex)")
    }
    discovery?.browse(.airlink, observer: self) { InstanceID(serviceName: $0) != nil }
    discovery?.publish(
      PublishedService(type: .airlink, name: policy.own.hex, port: port))
  }

  /// Goes by another instance name, and looks anew at whom to dial.
  func takeAnotherName() {
    let id = InstanceID(value: names.next())
    tell { $0.renamed(to: id, now: $1) }
    discovery?.publish(PublishedService(type: .airlink, name: id.hex, port: port))
    for sighting in discovery?.sightings(of: .airlink) ?? [] {
      tell { $0.serviceSeen(sighting, now: $1) }
    }
  }

  // MARK: Descriptors

  private func exhausted() {
    counters.exhausted += 1
    if !toldExhausted {
      toldExhausted = true
      observer?.transportNotice(
        name, "no file descriptor is left for more connections; see `ulimit -n`")
    }
    tell { $0.descriptorsExhausted(now: $1) }
  }

  /// Connections that this process may have open and still do everything else.
  private static func connectionsAllowed(_ limits: WiFiLimits) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return limits.accepted
    }
    return max(16, Int(clamping: limit.rlim_cur) - limits.reservedDescriptors - limits.dials)
  }
}

extension WiFiLink: ServiceDiscoveryObserver {
  public func serviceSeen(_ sighting: ServiceSighting) {
    tell { $0.serviceSeen(sighting, now: $1) }
  }

  public func serviceGone(_ sighting: ServiceSighting) {
    tell { $0.serviceGone(sighting, now: $1) }
  }

  public func serviceResolved(_ sighting: ServiceSighting, at endpoint: Endpoint?) {
    tell { $0.resolved(sighting, at: endpoint, now: $1) }
  }

  public func serviceNameTaken(_ service: PublishedService) {
    if service.name == policy.own.hex { takeAnotherName() }
  }

  public func discoveryNotice(_ notice: String) { observer?.transportNotice(name, notice) }
}
