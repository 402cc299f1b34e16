internal import Link
package import Wire

/// Links: paths that come and go, those that close.
extension BLEPolicy {
  var linksInOrder: [BLELinkState] { links.values.sorted { $0.id < $1.id } }

  /// A path can be used.
  ///
  /// - Returns: whether chunks that come on it are to be taken.
  @discardableResult
  package mutating func pathUp(
    _ id: PathID, _ path: BLEPath, now: Instant, nextLink: () -> LinkID
  ) -> Bool {
    let device = path.device
    guard adapters[device.adapter] != nil, paths[id] == nil else { return false }
    guard isAllowed(device.address), devices[device]?.isPenalised(at: now) != true,
      devices.add(device, mustFit: true, now: now, dueAt: now)
    else {
      counters.refused += 1
      effects.append(.disconnect(device))
      return false
    }
    let link: LinkID
    if let known = devices[device]?.link {
      link = known
    } else {
      guard let made = makeLink(to: device, now: now, nextLink: nextLink) else { return false }
      link = made
    }
    let state = BLELinkState.Path(
      id: id, role: path.role, outlet: path.outlet, mayReorder: path.mayReorder, upAt: now,
      chunkLimit: path.chunkLimit)
    // A new path takes an old one's place, should that not have been told to be over.
    let old = path.role == .client ? links[link]?.client : links[link]?.server
    if let old { drop(old, of: link, now: now) }
    switch path.role {
    case .client: links[link]?.client = state
    case .server: links[link]?.server = state
    }
    paths[id] = link
    outlets[path.outlet, default: Outlet(id: path.outlet)].paths.append(id)
    measureChunks(of: path.outlet)
    measureChunks(of: link)
    if path.role == .client, adapters[device.adapter]?.attempt?.device == device {
      change(device.adapter) { adapter, _ in adapter.attempt = nil }
    }
    if old == nil, links[link]?.paths.count == 1 { effects.append(.announce(link)) }
    makeReady(path.outlet)
    advance(now: now)
    return true
  }

  private mutating func makeLink(
    to device: BLEDevice, now: Instant, nextLink: () -> LinkID
  ) -> LinkID? {
    var isFlapping = false
    devices.update(device) { isFlapping = $0.flaps.note(at: now) }
    if isFlapping {
      let until = now + limits.penalty
      devices.update(device) { $0.penalisedUntil = until }
      counters.refused += 1
      effects.append(.disconnect(device))
      return nil
    }
    let link = nextLink()
    links[link] = BLELinkState(
      id: link, device: device, upAt: now,
      queue: ChunkQueue(limits: limits, chunkSize: limits.unreportedChunk))
    devices.update(device) { $0.link = link }
    return link
  }

  mutating func pathChanged(_ path: PathID, chunkLimit: Int?) {
    guard let link = paths[path] else { return }
    if links[link]?.client?.id == path { links[link]?.client?.chunkLimit = chunkLimit }
    if links[link]?.server?.id == path { links[link]?.server?.chunkLimit = chunkLimit }
    for path in links[link]?.paths ?? [] { measureChunks(of: path.outlet) }
    measureChunks(of: link)
  }

  mutating func pathDown(_ path: PathID, because reason: String, now: Instant) {
    guard let link = paths[path], let state = links[link],
      let gone = state.paths.first(where: { $0.id == path })
    else { return }
    guard state.paths.count > 1 else {
      remove(link, because: .lost(reason), now: now)
      return advance(now: now)
    }
    drop(gone, of: link, now: now)
    measureChunks(of: link)
    advance(now: now)
  }

  /// Takes one path from a link that has, or gets, another.
  private mutating func drop(_ path: BLELinkState.Path, of link: LinkID, now: Instant) {
    paths[path.id] = nil
    if links[link]?.client?.id == path.id { links[link]?.client = nil }
    if links[link]?.server?.id == path.id { links[link]?.server = nil }
    if links[link]?.carrying == path.id {
      // The other end has had a part at most: the whole packet goes out on the other path.
      links[link]?.carrying = nil
      links[link]?.queue.startAgain()
    }
    leave(path, link)
    for other in links[link]?.paths ?? [] { makeReady(other.outlet) }
  }

  /// A path no longer goes out through its outlet.
  private mutating func leave(_ path: BLELinkState.Path, _ link: LinkID) {
    guard var outlet = outlets[path.outlet] else { return }
    outlet.paths.removeAll { $0 == path.id }
    if outlet.busyWith == link { outlet.busyWith = nil }
    guard !outlet.paths.isEmpty else {
      outlets[path.outlet] = nil
      ready.removeAll { $0 == path.outlet }
      return
    }
    outlets[path.outlet] = outlet
    measureChunks(of: path.outlet)
    makeReady(path.outlet)
  }

  /// A whole packet came in on a link: it is what it says.
  mutating func proved(_ link: LinkID) {
    guard let state = links[link], !state.isProved else { return }
    links[link]?.isProved = true
    devices.update(state.device) {
      $0.isKnown = true
      $0.isForgotten = false
    }
  }

  /// Ends a link at our wish.
  mutating func close(_ link: LinkID, because reason: LinkCloseReason, now: Instant) {
    guard let state = links[link] else { return }
    remove(link, because: reason, now: now)
    effects.append(.disconnect(state.device))
    if case .misbehaved = reason {
      let until = now + limits.penalty
      devices.update(state.device) { $0.penalisedUntil = until }
    }
    advance(now: now)
  }

  /// A link is over, however that came about.
  mutating func remove(_ link: LinkID, because reason: LinkCloseReason, now: Instant) {
    guard var state = links.removeValue(forKey: link) else { return }
    for path in state.paths {
      paths[path.id] = nil
      leave(path, link)
    }
    state.queue.shedAll()
    counters.shed += state.queue.shed
    counters.shedVoice += state.queue.shedVoice
    counters.closed.note(reason)
    effects.append(.down(link, reason))
    if let attempt = adapters[state.device.adapter]?.attempt, attempt.device == state.device {
      // It broke while the other path was still being made.
      change(state.device.adapter) { adapter, _ in adapter.attempt = nil }
    }
    let isSettled = state.isProved && now - state.upAt >= limits.settledAfter
    let failures = isSettled ? 0 : (devices[state.device]?.failures ?? 0) + 1
    let pause =
      isSettled || state.isProved && failures <= 1
      ? hesitation() + limits.longestHesitation : backoff.pause(afterFailures: failures)
    devices.update(state.device) { entry in
      entry.link = nil
      entry.failures = failures
      entry.missedSince = now
      entry.dueAt = now + pause
    }
  }

  // MARK: Chunk sizes

  /// The size of a link's chunks: what all its paths, and all who hear them, can take.
  func chunkSize(of link: LinkID) -> Int {
    guard let state = links[link] else { return limits.unreportedChunk }
    let reported = state.paths.compactMap { path in
      outlets[path.outlet]?.chunkLimit ?? path.chunkLimit
    }
    let size = reported.min() ?? limits.unreportedChunk
    return min(max(size, limits.smallestChunk), limits.largestChunk)
  }

  private mutating func measureChunks(of link: LinkID) {
    let size = chunkSize(of: link)
    links[link]?.queue.setChunkSize(size)
  }

  /// A notification reaches all who hear the outlet: the smallest limit counts for each of them.
  private mutating func measureChunks(of outlet: OutletID) {
    guard let paths = outlets[outlet]?.paths else { return }
    let owners = paths.compactMap { self.paths[$0] }
    let limits = paths.compactMap { path -> Int? in
      self.paths[path].flatMap { links[$0] }?.paths.first { $0.id == path }?.chunkLimit
    }
    outlets[outlet]?.chunkLimit = limits.min()
    for link in owners { measureChunks(of: link) }
  }
}
