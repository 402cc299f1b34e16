internal import CAvahi
internal import EventLoop
internal import Wire

/// Discovery by Avahi: the system's daemon, or a stack of our own where none runs.
///
/// A daemon that is absent, stops, restarts or renames the host is followed; what should be
/// published and looked for stays said, and is said again to whoever takes over.
@MainActor
public final class AvahiDiscovery: ServiceDiscovery {
  /// Pauses between attempts to reach the daemon or to open the embedded stack.
  static let retryPauses: [Duration] = [1, 2, 4, 8, 15, 30].map { .seconds($0) }
  /// Pause before what could not be opened is tried again.
  static let troublePause = Duration.seconds(5)

  private enum Way: Hashable, CaseIterable { case daemon, embedded }

  /// One responder and how it is doing.
  private struct Road {
    let responder: Responder
    var state: DiscoveryNews.State?
    var sightings: Set<ServiceSighting> = []
    var failures = 0
  }

  private struct Browse {
    weak var observer: (any ServiceDiscoveryObserver)?
    let accepts: @Sendable (String) -> Bool
  }

  private let mode: DiscoveryMode
  private let hostLabel: String
  private var choice: DiscoveryChoice
  private var roads: [Way: Road] = [:]
  private var browses: [ServiceType: Browse] = [:]
  private var published: [ServiceType: PublishedService] = [:]
  private var clockStep: ClockStep?
  private var isStopped = false
  private var lastNotice: String?

  /// Begins at once.
  ///
  /// - Parameters:
  ///   - mode: which way; `off` finds and publishes nothing.
  ///   - hostLabel: the host name of the embedded stack, without `.local`: letters, digits and
  ///     hyphens, at most 63, one that no other process has.
  public init(_ mode: DiscoveryMode, hostLabel: String) {
    self.mode = mode
    self.hostLabel = hostLabel
    choice = DiscoveryChoice(mode, now: MonotonicClock.now())
    if mode == .auto || mode == .daemon { open(.daemon) }
    follow()
  }

  public func browse(
    _ type: ServiceType, observer: any ServiceDiscoveryObserver,
    accepts: @escaping @Sendable (String) -> Bool
  ) {
    browses[type] = Browse(observer: observer, accepts: accepts)
    eachResponder { $0.browse(type, accepts: accepts) }
  }

  public func stopBrowsing(_ type: ServiceType) {
    browses[type] = nil
    eachResponder { $0.stopBrowsing(type) }
  }

  public func publish(_ service: PublishedService) {
    published[service.type] = service
    eachResponder { $0.publish(service.type, service) }
  }

  public func withdraw(_ type: ServiceType) {
    published[type] = nil
    eachResponder { $0.publish(type, nil) }
  }

  public func resolve(_ sighting: ServiceSighting) {
    let way = Way.allCases.first { roads[$0]?.sightings.contains(sighting) == true }
    guard let way, let responder = roads[way]?.responder else {
      browses[sighting.type]?.observer?.serviceResolved(sighting, at: nil)
      return
    }
    responder.loop.post { responder.resolve(sighting) }
  }

  public func networkChanged() { eachResponder { $0.networkChanged() } }

  public func sightings(of type: ServiceType) -> [ServiceSighting] {
    roads.values.reduce(into: Set()) { $0.formUnion($1.sightings) }.filter { $0.type == type }
  }

  public func stop() {
    isStopped = true
    clockStep?.stop()
    clockStep = nil
    for road in roads.values {
      let responder = road.responder
      responder.loop.end { responder.close() }
    }
    roads = [:]
  }

  public var statistics: [(name: String, value: Int)] {
    let seen = roads.values.reduce(0) { $0 + $1.sightings.count }
    return [
      ("discovery-daemon", choice.active == .daemon ? 1 : 0),
      ("discovery-embedded", choice.active == .embedded ? 1 : 0),
      ("discovery-sightings", seen),
      ("discovery-sightings-limit", Responder.maximumSightings),
    ]
  }

  // MARK: Opening and choosing

  private func eachResponder(_ work: @escaping @Sendable (Responder) -> Void) {
    for road in roads.values {
      let responder = road.responder
      responder.loop.post { work(responder) }
    }
  }

  /// Opens a road, making its thread first where it has none.
  private func open(_ way: Way) {
    if isStopped { return }
    if roads[way] == nil {
      guard let loop = AvahiLoop() else {
        notice("discovery: no thread or descriptor left; tried again")
        return after(Self.troublePause) { $0.open(way) }
      }
      let news = DiscoveryNews { [weak self] in self?.take($0, from: way) }
      let responder = Responder(loop: loop, news: news)
      roads[way] = Road(responder: responder)
      let (browses, published) = (browses.mapValues(\.accepts), published)
      let isActive = isActive(way)
      loop.post {
        for (type, accepts) in browses { responder.browse(type, accepts: accepts) }
        for (type, service) in published { responder.publish(type, service) }
        responder.setActive(isActive)
      }
    }
    guard let responder = roads[way]?.responder else { return }
    let hostLabel = hostLabel
    responder.loop.post {
      switch way {
      case .daemon: responder.open { DaemonBackend(for: $0) }
      case .embedded:
        responder.open {
          EmbeddedBackend(
            for: $0, hostLabel: hostLabel, random: SystemRandomNumberGenerator())
        }
      }
    }
  }

  private func isActive(_ way: Way) -> Bool {
    choice.active == (way == .daemon ? .daemon : .embedded)
  }

  /// Carries out what `choice` says now, and wakes it when it wants to be.
  private func follow() {
    if choice.active == .embedded, roads[.embedded] == nil {
      open(.embedded)
      clockStep = ClockStep { [weak self] in self?.open(.embedded) }
    } else if choice.active != .embedded, let road = roads.removeValue(forKey: .embedded) {
      // It withdraws what it published before the daemon publishes the same.
      let responder = road.responder
      responder.loop.end { responder.close() }
      clockStep?.stop()
      clockStep = nil
      tell(gone: road.sightings)
    }
    if let responder = roads[.daemon]?.responder {
      let isActive = isActive(.daemon)
      responder.loop.post { responder.setActive(isActive) }
    }
    if let deadline = choice.deadline {
      after(deadline - MonotonicClock.now()) { discovery in
        guard discovery.choice.deadline != nil else { return }
        discovery.choose { $0.wake(now: MonotonicClock.now()) }
      }
    }
  }

  private func choose(_ change: (inout DiscoveryChoice) -> Void) {
    let before = (choice.active, choice.deadline)
    change(&choice)
    if before != (choice.active, choice.deadline) { follow() }
    guard before.0 != choice.active else { return }
    if before.0 == .daemon {
      notice("avahi-daemon went away; the built-in mDNS stack takes its place")
    } else if before.0 == .embedded {
      notice("avahi-daemon runs; it takes the built-in mDNS stack's place")
    }
  }

  private func after(
    _ pause: Duration, _ work: @escaping @MainActor (AvahiDiscovery) -> Void
  ) {
    EventLoop.main.after(pause) { [weak self] in
      guard let self, !self.isStopped else { return }
      work(self)
    }
  }

  // MARK: News

  private func take(_ batch: DiscoveryNews.Batch, from way: Way) {
    guard !isStopped, roads[way] != nil else { return }
    for (sighting, isSeen) in batch.sightings { take(sighting, isSeen: isSeen, from: way) }
    for (sighting, endpoint) in batch.resolved {
      browses[sighting.type]?.observer?.serviceResolved(sighting, at: endpoint)
    }
    for service in batch.taken where published[service.type] == service {
      published[service.type] = nil
      browses[service.type]?.observer?.serviceNameTaken(service)
    }
    if batch.trouble != nil {
      after(Self.troublePause) { $0.eachResponder { $0.synchronise() } }
    }
    if let state = batch.state { take(state, from: way) }
  }

  private func take(_ sighting: ServiceSighting, isSeen: Bool, from way: Way) {
    let wasSeen = roads.values.contains { $0.sightings.contains(sighting) }
    if isSeen {
      roads[way]?.sightings.insert(sighting)
    } else {
      roads[way]?.sightings.remove(sighting)
    }
    let observer = browses[sighting.type]?.observer
    let nowSeen = roads.values.contains { $0.sightings.contains(sighting) }
    if nowSeen, !wasSeen { observer?.serviceSeen(sighting) }
    if wasSeen, !nowSeen { observer?.serviceGone(sighting) }
  }

  private func tell(gone: Set<ServiceSighting>) {
    for sighting in gone where !roads.values.contains(where: { $0.sightings.contains(sighting) }) {
      browses[sighting.type]?.observer?.serviceGone(sighting)
    }
  }

  private func take(_ state: DiscoveryNews.State, from way: Way) {
    roads[way]?.state = state
    let isUp = state == .running || state == .registering
    if isUp { roads[way]?.failures = 0 }
    if case .failed(let error) = state {
      let failures = roads[way]?.failures ?? 0
      roads[way]?.failures = failures + 1
      after(Self.retryPauses[min(failures, Self.retryPauses.count - 1)]) { discovery in
        if case .failed = discovery.roads[way]?.state { discovery.open(way) }
      }
      if way == .embedded, failures == 0 {
        notice("the built-in mDNS stack does not start: \(avahiText(error)); tried again")
      }
    }
    guard way == .daemon else { return }
    if mode == .daemon { noticeDaemon(isUp: isUp) }
    choose { $0.daemon(isUp: isUp, now: MonotonicClock.now()) }
  }

  private func noticeDaemon(isUp: Bool) {
    if isUp, lastNotice != nil {
      notice("avahi-daemon runs")
    } else if !isUp {
      notice("avahi-daemon does not run; it is waited for (`--discovery auto` does without)")
    }
  }

  private func notice(_ text: String) {
    guard text != lastNotice else { return }
    lastNotice = text
    for browse in browses.values { browse.observer?.discoveryNotice(text) }
  }
}
