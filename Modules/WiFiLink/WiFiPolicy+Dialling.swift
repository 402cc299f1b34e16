internal import Discovery
internal import Link
internal import Wire

/// Dialling: rounds through a target's addresses, a few at once, with pauses between rounds.
extension WiFiPolicy {
  /// An attempt was given up by the system: refused, unreachable, no descriptor left.
  mutating func dialFailed(_ dial: DialID, now: Instant) {
    guard let index = index(ofDial: dial) else { return }
    changeRound(of: index) { round in
      round.attempts.removeAll { $0.id == dial }
      // The next address need not wait for its turn.
      round.nextDialAt = now
    }
    advance(now: now)
  }

  /// An attempt was ready first: it is the target's link, and the others are given up.
  mutating func dialled(
    _ dial: DialID, _ link: LinkID, local: Endpoint, remote: Endpoint, now: Instant
  ) {
    guard let index = index(ofDial: dial), case .trying(let round) = targets[index].state else {
      effects.append(.refuse(link))
      return
    }
    if let other = links.otherEnd(local: local, remote: remote), other.isAccepted {
      effects.append(.refuse(link))
      changeRound(of: index) { round in round.attempts.removeAll { $0.id == dial } }
      close(other.id, because: .lost("this node dialled itself"), now: now)
      foundOurselves(at: index, now: now)
      return advance(now: now)
    }
    for attempt in round.attempts where attempt.id != dial { effects.append(.cancel(attempt.id)) }
    targets[index].state = .linked(link)
    targets[index].lastGood = round.attempts.first { $0.id == dial }?.endpoint
    targets[index].lastClaim = nil
    targets[index].isToldUnreachable = false
    links.insert(
      LinkTable.Entry(
        id: link, target: targets[index].key, local: local, remote: remote, upAt: now,
        isAnnounced: false))
    announce(link)
    advance(now: now)
  }

  mutating func foundOurselves(at index: Int, now: Instant) {
    if case .trying(let round) = targets[index].state {
      for attempt in round.attempts { effects.append(.cancel(attempt.id)) }
    }
    targets[index].state = .ourselves
    if case .peer(let peer) = targets[index].key { effects.append(.tellOurselves(peer: peer)) }
  }

  // MARK: Rounds

  var roundCount: Int {
    targets.reduce(0) { if case .trying = $1.state { $0 + 1 } else { $0 } }
  }

  var attemptCount: Int {
    targets.reduce(0) { count, target in
      if case .trying(let round) = target.state { count + round.attempts.count } else { count }
    }
  }

  /// Does whatever is due: every event ends with it.
  mutating func advance(now: Instant) {
    forgetGone(now: now)
    for index in targets.indices {
      if case .trying = targets[index].state { advanceRound(of: index, now: now) }
    }
    var rounds = roundCount
    for index in targets.indices {
      guard case .waiting(let until) = targets[index].state, until <= now,
        rounds < limits.resolutions
      else { continue }
      beginRound(of: index, now: now)
      if case .trying = targets[index].state {
        advanceRound(of: index, now: now)
        rounds += 1
      }
    }
  }

  private mutating func beginRound(of index: Int, now: Instant) {
    let target = targets[index]
    let others = linksToSamePeer(as: target)
    if !others.isEmpty {
      targets[index].state = .held(by: others)
      return
    }
    targets[index].roundStartedAt = now
    var round = DialTarget.Round(
      untried: target.places, awaitedUntil: now + limits.resolutionTimeout, nextDialAt: now)
    switch target.key {
    case .service:
      round.awaited = Set(target.sightings)
      effects += target.sightings.map { .resolve($0) }
    case .peer(let peer):
      round.isLookingUp = true
      effects.append(.lookUp(peer: peer))
    }
    targets[index].state = .trying(round)
  }

  private mutating func advanceRound(of index: Int, now: Instant) {
    guard case .trying(var round) = targets[index].state else { return }
    for attempt in round.attempts where now >= attempt.deadline {
      effects.append(.cancel(attempt.id))
    }
    round.attempts.removeAll { now >= $0.deadline }
    if now >= round.awaitedUntil {
      round.awaited = []
      round.isLookingUp = false
    }
    round.untried.sortForDialling(lastGood: targets[index].lastGood, network: network)
    targets[index].state = .trying(round)
    dialNext(of: index, now: now)
    guard case .trying(let after) = targets[index].state, after.isOver else { return }
    roundFailed(of: index, now: now)
  }

  /// Dials the target's next addresses, as far as time and bounds let.
  private mutating func dialNext(of index: Int, now: Instant) {
    guard case .trying(var round) = targets[index].state else { return }
    while let place = round.untried.first, round.attempts.count < limits.dialsPerTarget,
      round.nextDialAt <= now, attemptCount < limits.dials
    {
      if let other = dialledLink(to: place.endpoint) {
        // The same door under another name.
        for attempt in round.attempts { effects.append(.cancel(attempt.id)) }
        targets[index].state = .held(by: [other])
        return
      }
      round.untried.removeFirst()
      round.tried.insert(place.endpoint)
      targets[index].state = .trying(round)
      if isBeingDialled(place.endpoint) { continue }
      guard tokens.take(at: now) else {
        round.untried.insert(place, at: 0)
        round.tried.remove(place.endpoint)
        round.nextDialAt = now + .seconds(1) / max(limits.dialsPerSecond, 1)
        targets[index].state = .trying(round)
        return
      }
      lastDial += 1
      let dial = DialID(rawValue: lastDial)
      round.attempts.append(
        DialTarget.Attempt(
          id: dial, endpoint: place.endpoint, deadline: now + limits.dialTimeout))
      round.nextDialAt = now + limits.stagger
      effects.append(.dial(dial, place.endpoint, interface: interface(for: place)))
      targets[index].state = .trying(round)
    }
  }

  private mutating func roundFailed(of index: Int, now: Instant) {
    if case .peer(let peer) = targets[index].key, case .trying(let round) = targets[index].state,
      !targets[index].isToldUnreachable
    {
      targets[index].isToldUnreachable = true
      effects.append(.tellUnreachable(peer: peer, isFound: !round.tried.isEmpty))
    }
    targets[index].failures += 1
    targets[index].state = .waiting(
      until: now + backoff.pause(afterFailures: targets[index].failures))
  }

  mutating func changeRound(of index: Int, _ change: (inout DialTarget.Round) -> Void) {
    guard case .trying(var round) = targets[index].state else { return }
    change(&round)
    targets[index].state = .trying(round)
  }

  // MARK: Sooner and later

  /// Something new about a target: its failures are forgotten and it is tried soon.
  mutating func hurry(_ index: Int, now: Instant) {
    targets[index].failures = 0
    guard case .waiting(let until) = targets[index].state else { return }
    let soonest = targets[index].roundStartedAt.map { $0 + limits.minimumRoundInterval } ?? now
    targets[index].state = .waiting(until: min(until, max(soonest, now)))
  }

  /// Everything is tried again; rounds under way, whose roads may be gone, begin anew.
  mutating func retryAll(now: Instant, afterPause: Bool) {
    for index in targets.indices {
      targets[index].failures = 0
      switch targets[index].state {
      case .trying(let round):
        for attempt in round.attempts { effects.append(.cancel(attempt.id)) }
        targets[index].state = .waiting(until: now)
      case .waiting, .ourselves: targets[index].state = .waiting(until: now)
      case .linked, .held: continue
      }
      guard afterPause, let last = targets[index].roundStartedAt else { continue }
      targets[index].state = .waiting(until: max(now, last + limits.minimumRoundInterval))
    }
  }

  private mutating func forgetGone(now: Instant) {
    for index in targets.indices.reversed() {
      guard let gone = targets[index].goneSince, !targets[index].isBusy,
        now >= gone + limits.keepTryingAfterRemoval
      else { continue }
      remove(at: index)
    }
  }

  mutating func remove(at index: Int) {
    if case .trying(let round) = targets[index].state {
      for attempt in round.attempts { effects.append(.cancel(attempt.id)) }
    }
    targets.remove(at: index)
  }

  // MARK: Details

  private func index(ofDial dial: DialID) -> Int? {
    targets.firstIndex {
      if case .trying(let round) = $0.state {
        round.attempts.contains { $0.id == dial }
      } else {
        false
      }
    }
  }

  private func isBeingDialled(_ endpoint: Endpoint) -> Bool {
    targets.contains {
      if case .trying(let round) = $0.state {
        round.attempts.contains { $0.endpoint == endpoint }
      } else {
        false
      }
    }
  }

  private func dialledLink(to endpoint: Endpoint) -> LinkID? {
    links.entries.values.first { !$0.isAccepted && $0.remote == endpoint }?.id
  }

  /// IPv4 link-local addresses may be on any interface: they are dialled on the one they were found
  /// on.
  ///
  /// Not our own, which are reached by none.
  private func interface(for place: DialTarget.Place) -> UInt32 {
    let address = place.endpoint.address
    return address.isLinkLocal && !address.isV6 && !network.hasAddress(address)
      ? place.interface : 0
  }
}
