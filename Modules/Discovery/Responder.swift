internal import CAvahi
internal import Wire

/// Publishes, browses and resolves by one of Avahi's libraries, on a thread of its own.
///
/// Sendable, though the compiler cannot see it: all but `news` and `loop`, which never change, is
/// used on the loop's thread alone, and others reach it by `loop.post` only.
final class Responder: @unchecked Sendable {
  /// Sightings kept; one picked by chance makes room for the next, so that no flood of made-up
  /// names keeps an honest one out for good.
  static let maximumSightings = 1_024
  /// Questions under way at once; what comes on top is answered as not found.
  static let maximumResolvers = 64

  let loop: AvahiLoop
  let news: DiscoveryNews
  private var backend: (any AvahiBackend)?
  private var state = DiscoveryNews.State.absent
  private var random = SystemRandomNumberGenerator()

  /// Whether this responder is the one in use; one that is not only watches its daemon.
  private var isActive = false
  private var wantedTypes: [ServiceType: @Sendable (String) -> Bool] = [:]
  private var wantedServices: [ServiceType: PublishedService] = [:]

  private var browsers: [ServiceType: BrowserContext] = [:]
  private var groups: [ServiceType: GroupContext] = [:]
  private var resolvers: [ServiceSighting: ResolverContext] = [:]
  private var answered: [ResolverContext] = []
  private var sightings: [ServiceSighting] = []

  init(loop: AvahiLoop, news: DiscoveryNews) {
    self.loop = loop
    self.news = news
  }

  // MARK: What the main thread asks, by `loop.post`

  /// Opens a backend; its states, or why it could not be opened, go into the news.
  func open(_ make: (Responder) -> (any AvahiBackend)?) {
    close()
    guard let backend = make(self) else { return stateChanged(.failed(avahiIsMissing)) }
    self.backend = backend
    let error = backend.open(loop.api)
    if error != 0 { stateChanged(.failed(error)) }
  }

  func networkChanged() { backend?.networkChanged() }

  func setActive(_ active: Bool) {
    isActive = active
    synchronise()
  }

  func browse(_ type: ServiceType, accepts: @escaping @Sendable (String) -> Bool) {
    wantedTypes[type] = accepts
    synchronise()
  }

  func stopBrowsing(_ type: ServiceType) {
    wantedTypes[type] = nil
    synchronise()
  }

  /// Publishes a service; nil to publish nothing of this type any more.
  func publish(_ type: ServiceType, _ service: PublishedService?) {
    wantedServices[type] = service
    synchronise()
  }

  func resolve(_ sighting: ServiceSighting) {
    if resolvers[sighting] != nil { return }
    let context = ResolverContext(self, sighting)
    guard isActive, state == .running || state == .registering, let backend,
      resolvers.count < Self.maximumResolvers, sightings.contains(sighting)
    else { return answer(sighting, nil) }
    resolvers[sighting] = context
    context.resolver = backend.openResolver(context)
    if context.resolver == nil {
      resolvers[sighting] = nil
      answer(sighting, nil)
    }
  }

  /// Frees everything, saying goodbye for what was published.
  func close() {
    dropBrowsers()
    dropGroups()
    backend?.close()
    backend = nil
    state = .absent
  }

  /// Opens what is wanted and not there, closes what is there and not wanted.
  func synchronise() {
    guard isActive, state == .running || state == .registering else {
      dropBrowsers()
      return dropGroups()
    }
    for context in browsers.values where wantedTypes[context.type] == nil { drop(context) }
    for type in wantedTypes.keys where browsers[type] == nil { openBrowser(type) }
    // The daemon's own host name comes first: what is published before is lost.
    guard state == .running else { return dropGroups() }
    for (type, group) in groups where wantedServices[type] != group.service { drop(group) }
    for (type, service) in wantedServices where groups[type] == nil { openGroup(service) }
  }

  // MARK: What the backend tells

  func stateChanged(_ state: DiscoveryNews.State) {
    self.state = state
    news.note { $0.state = state }
    // Not from within the backend's own call, which may be the one that opens it.
    loop.post { [self] in synchronise() }
  }

  func browsed(
    _ browser: BrowserContext, _ event: AvahiBrowserEvent, interface: AvahiIfIndex,
    family: ServiceSighting.Family?, name: String?
  ) {
    if event == AVAHI_BROWSER_FAILURE {
      let failed = ObjectIdentifier(browser)
      return loop.post { [self] in browserFailed(failed) }
    }
    guard event == AVAHI_BROWSER_NEW || event == AVAHI_BROWSER_REMOVE, let name, let family,
      let index = UInt32(exactly: interface), wantedTypes[browser.type]?(name) == true
    else { return }
    let sighting = ServiceSighting(
      type: browser.type, name: name, interface: index, family: family)
    let position = sightings.firstIndex(of: sighting)
    if event == AVAHI_BROWSER_NEW, position == nil {
      if sightings.count >= Self.maximumSightings {
        forget(at: Int.random(in: sightings.indices, using: &random))
      }
      sightings.append(sighting)
      news.note(sighting, isSeen: true)
    } else if event == AVAHI_BROWSER_REMOVE, let position {
      forget(at: position)
    }
  }

  func publicationChanged(_ group: GroupContext, _ state: AvahiEntryGroupState) {
    switch state {
    case AVAHI_ENTRY_GROUP_COLLISION: publicationFailed(group, CInt(AVAHI_ERR_COLLISION))
    case AVAHI_ENTRY_GROUP_FAILURE: publicationFailed(group, backend?.lastError ?? 0)
    default: break
    }
  }

  func resolved(_ resolver: ResolverContext, at endpoint: Endpoint?) {
    // The first answer is the answer; the resolver ends, outside of its own callback.
    guard resolvers[resolver.sighting] === resolver else { return }
    resolvers[resolver.sighting] = nil
    answered.append(resolver)
    answer(resolver.sighting, endpoint)
    loop.post { [self] in closeAnswered() }
  }

  // MARK: Details

  private func answer(_ sighting: ServiceSighting, _ endpoint: Endpoint?) {
    news.note { $0.resolved.append((sighting, endpoint)) }
  }

  private func openBrowser(_ type: ServiceType) {
    let context = BrowserContext(self, type)
    browsers[type] = context
    context.browser = backend?.openBrowser(context)
    if context.browser == nil {
      browsers[type] = nil
      report(backend?.lastError ?? 0)
    }
  }

  private func browserFailed(_ failed: ObjectIdentifier) {
    guard let context = browsers.values.first(where: { ObjectIdentifier($0) == failed })
    else { return }
    browsers[context.type] = nil
    if let browser = context.browser { backend?.close(browser: browser) }
    forgetAll { $0.type == context.type }
    report(backend?.lastError ?? 0)
  }

  private func openGroup(_ service: PublishedService) {
    let context = GroupContext(self, service)
    groups[service.type] = context
    context.group = backend?.openGroup(context)
    guard let group = context.group else {
      groups[service.type] = nil
      return report(backend?.lastError ?? 0)
    }
    let error = backend?.publish(service, in: group) ?? 0
    if error != 0 { publicationFailed(context, error) }
  }

  private func publicationFailed(_ group: GroupContext, _ error: CInt) {
    let (service, failed) = (group.service, ObjectIdentifier(group))
    loop.post { [self] in
      guard let group = groups[service.type], ObjectIdentifier(group) == failed else { return }
      drop(group)
      if error == CInt(AVAHI_ERR_COLLISION) {
        // Not published again under the name that is somebody else's.
        if wantedServices[service.type] == service { wantedServices[service.type] = nil }
        news.note { $0.taken.append(service) }
      } else {
        report(error)
      }
    }
  }

  private func report(_ error: CInt) { news.note { $0.trouble = error } }

  private func drop(_ group: GroupContext) {
    groups[group.service.type] = nil
    if let pointer = group.group { backend?.close(group: pointer) }
  }

  private func dropGroups() {
    for group in groups.values { drop(group) }
  }

  private func drop(_ browser: BrowserContext) {
    for (sighting, resolver) in resolvers where sighting.type == browser.type {
      resolvers[sighting] = nil
      answered.append(resolver)
      answer(sighting, nil)
    }
    closeAnswered()
    browsers[browser.type] = nil
    if let pointer = browser.browser { backend?.close(browser: pointer) }
    forgetAll { $0.type == browser.type }
  }

  private func closeAnswered() {
    for resolver in answered {
      if let pointer = resolver.resolver { backend?.close(resolver: pointer) }
    }
    answered = []
  }

  private func dropBrowsers() {
    for (sighting, resolver) in resolvers {
      answered.append(resolver)
      answer(sighting, nil)
    }
    resolvers = [:]
    closeAnswered()
    for context in browsers.values {
      if let browser = context.browser { backend?.close(browser: browser) }
    }
    browsers = [:]
    forgetAll { _ in true }
  }

  private func forget(at position: Int) {
    sightings.swapAt(position, sightings.count - 1)
    news.note(sightings.removeLast(), isSeen: false)
  }

  private func forgetAll(where matches: (ServiceSighting) -> Bool) {
    for sighting in sightings where matches(sighting) { news.note(sighting, isSeen: false) }
    sightings.removeAll(where: matches)
  }
}
