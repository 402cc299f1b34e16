internal import Discovery
internal import Link
internal import Wire

/// Links that live: those let in, those proved, those that end.
extension WiFiPolicy {
  /// Another host has connected.
  mutating func accepted(_ link: LinkID, local: Endpoint, remote: Endpoint, now: Instant) {
    if let other = links.otherEnd(local: local, remote: remote), let target = other.target {
      effects.append(.refuse(link))
      close(other.id, because: .lost("this node dialled itself"), now: now)
      if let index = index(of: target) { foundOurselves(at: index, now: now) }
      return advance(now: now)
    }
    let host = HostKey(local: local, remote: remote)
    switch links.admission(ofHost: host, limits: limits) {
    case .refused:
      effects.append(.refuse(link))
      return
    case .admittedInsteadOf(let victim):
      let isProved = links[victim]?.isProved == true
      close(
        victim,
        because: isProved
          ? .lost("made room for another host") : .misbehaved("no packet yet, and no room"),
        now: now)
    case .admitted: break
    }
    links.insert(
      LinkTable.Entry(
        id: link, target: nil, local: local, remote: remote, upAt: now, isAnnounced: false))
    advance(now: now)
  }

  /// The first whole packet came.
  mutating func proved(_ link: LinkID) {
    links.update(link) { $0.isProved = true }
    announce(link)
  }

  /// Those above know who is at the other end, by their own claim.
  mutating func claimed(_ link: LinkID, by peer: Fingerprint) {
    links.update(link) { $0.claim = peer }
    if let target = links[link]?.target, let index = index(of: target) {
      targets[index].lastClaim = peer
    }
  }

  /// A link ended, whoever ended it.
  mutating func ended(_ link: LinkID, because reason: LinkCloseReason, now: Instant) {
    finish(link, because: reason, now: now)
    advance(now: now)
  }

  /// The process has no descriptor left: one that has shown nothing yet gives its own.
  mutating func descriptorsExhausted(now: Instant) {
    guard let victim = links.oldestUnproved() else { return }
    close(victim.id, because: .misbehaved("no packet yet, and no descriptor left"), now: now)
    advance(now: now)
  }

  mutating func announce(_ link: LinkID) {
    guard let entry = links[link], !entry.isAnnounced else { return }
    links.update(link) { $0.isAnnounced = true }
    effects.append(.announce(link))
  }

  mutating func close(_ link: LinkID, because reason: LinkCloseReason, now: Instant) {
    effects.append(links[link]?.isAnnounced == true ? .close(link, reason) : .refuse(link))
    finish(link, because: reason, now: now)
  }

  mutating func probeAll(now: Instant) {
    for entry in links.inOrder {
      links.update(entry.id) { $0.probedUntil = now + limits.probing }
      effects.append(.probe(entry.id))
    }
  }

  /// Other links to the peer that a target's last link led to, on the same host.
  ///
  /// Who is there is a claim; that it is made from the same host is what makes it good enough not
  /// to dial.
  func linksToSamePeer(as target: DialTarget) -> Set<LinkID> {
    guard let claim = target.lastClaim, let last = target.lastGood else { return [] }
    let same = links.entries.values.filter {
      $0.claim == claim && ($0.remote.address == last.address || isOurs($0, and: last))
    }
    return Set(same.map(\.id))
  }

  private func isOurs(_ entry: LinkTable.Entry, and endpoint: Endpoint) -> Bool {
    entry.host == .ourselves && network.hasAddress(endpoint.address)
  }

  private mutating func finish(_ link: LinkID, because reason: LinkCloseReason, now: Instant) {
    guard let entry = links.remove(link) else { return }
    release(link, now: now)
    guard let key = entry.target, let index = index(of: key),
      case .linked(link) = targets[index].state
    else { return }
    guard isWanted(targets[index]) else { return remove(at: index) }
    if targets[index].goneSince != nil { targets[index].goneSince = now }
    let hasHeld = entry.isProved && now >= entry.upAt + limits.settledAfter
    targets[index].failures = hasHeld ? 1 : targets[index].failures + 1
    var pause = backoff.pause(afterFailures: targets[index].failures)
    switch reason {
    case .replaced:
      let others = links.entries.values.filter {
        $0.host == entry.host
          && ($0.claim == nil || entry.claim == nil || $0.claim == entry.claim)
      }
      if !others.isEmpty {
        targets[index].state = .held(by: Set(others.map(\.id)))
        return
      }
    case .misbehaved: pause = backoff.jitter(limits.penalty)
    case .lost, .stopping: break
    }
    targets[index].state = .waiting(until: now + pause)
  }

  /// Frees the targets that were not dialled for the sake of a link that ended.
  private mutating func release(_ link: LinkID, now: Instant) {
    for index in targets.indices {
      guard case .held(var others) = targets[index].state, others.remove(link) != nil else {
        continue
      }
      targets[index].state =
        others.isEmpty
        ? .waiting(until: now + backoff.jitter(limits.firstBackoff)) : .held(by: others)
    }
  }
}
