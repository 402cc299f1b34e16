package import Link
package import Wire

/// Chunks: which goes out next, on which path.
extension BLEPolicy {
  /// A chunk to be sent now.
  package struct Chunk: Sendable {
    let path: PathID
    let outlet: OutletID
    let link: LinkID
    package let packet: Packet
    package let range: Range<Int>
  }

  /// Takes a packet for a link, or sheds it whole.
  package mutating func offer(_ packet: Packet, on link: LinkID, now: Instant) -> SendOutcome {
    guard let route = links[link]?.route else { return .noLink }
    let outcome = links[link]?.queue.offer(packet, now: now)
    makeReady(route.outlet)
    return outcome == .queued ? .queued : .shed
  }

  /// The next chunk of any link; it is to be sent at once, and what became of it told.
  package mutating func nextChunk(now: Instant) -> Chunk? {
    while let first = ready.first {
      if let chunk = nextChunk(of: first, now: now) { return chunk }
      ready.removeFirst()
      outlets[first]?.isReady = false
    }
    return nil
  }

  private mutating func nextChunk(of id: OutletID, now: Instant) -> Chunk? {
    guard let outlet = outlets[id], outlet.blockedSince == nil,
      let (link, path) = chooseLink(for: outlet, now: now),
      let current = links[link]?.queue.current
    else { return nil }
    let isPart = current.isCut && path.mayReorder
    if isPart || outlet.lastWasPart, let before = outlet.sentAt, now < before + limits.pace {
      outlets[id]?.pausedUntil = before + limits.pace
      return nil
    }
    outlets[id]?.pausedUntil = nil
    if outlet.busyWith != link {
      outlets[id]?.busyWith = link
      outlets[id]?.beganAt = now
    }
    links[link]?.carrying = path.id
    let size = links[link]?.queue.chunkSize ?? limits.smallestChunk
    let end = min(current.sent + size, current.packet.encoded.count)
    return Chunk(
      path: path.id, outlet: id, link: link, packet: current.packet, range: current.sent..<end)
  }

  /// Whose packet goes on or begins: one under way first, then those with voice, then in turn.
  private mutating func chooseLink(
    for outlet: Outlet, now: Instant
  ) -> (LinkID, BLELinkState.Path)? {
    if let link = outlet.busyWith {
      guard let path = links[link]?.route, path.outlet == outlet.id,
        links[link]?.queue.begin(now: now) == true
      else { return nil }
      return (link, path)
    }
    let count = outlet.paths.count
    for onlyVoice in count > 1 ? [true, false] : [false] {
      for step in 0..<count {
        let path = outlet.paths[(outlet.turn + step) % count]
        guard let link = paths[path], let route = links[link]?.route, route.id == path,
          !onlyVoice || links[link]?.queue.hasVoice == true,
          links[link]?.queue.begin(now: now) == true
        else { continue }
        outlets[outlet.id]?.turn = (outlet.turn + step + 1) % count
        return (link, route)
      }
    }
    return nil
  }

  /// A chunk is on its way.
  package mutating func took(_ chunk: Chunk, now: Instant) {
    counters.chunksOut += 1
    counters.bytesOut += chunk.range.count
    let wasPart = chunk.range.count < chunk.packet.encoded.count
    let whole = links[chunk.link]?.queue.sent(chunk.range.count)
    let mayReorder = links[chunk.link]?.route?.mayReorder ?? false
    outlets[chunk.outlet]?.sentAt = now
    outlets[chunk.outlet]?.lastWasPart = wasPart && mayReorder
    guard let whole else { return }
    counters.packetsOut += 1
    links[chunk.link]?.carrying = nil
    outlets[chunk.outlet]?.busyWith = nil
    if let outlet = outlets[chunk.outlet], outlet.paths.count > 1 {
      skipCopies(of: whole, sentTo: chunk.link, outlet)
    }
    // The next packet may go by another path than this one did.
    if let next = links[chunk.link]?.preferred, next.outlet != chunk.outlet {
      makeReady(next.outlet)
    }
    // Others have their turn.
    if ready.count > 1, ready.first == chunk.outlet { ready.append(ready.removeFirst()) }
  }

  /// All who hear an outlet have had this packet: it need not go out to each of them.
  private mutating func skipCopies(of packet: Packet, sentTo link: LinkID, _ outlet: Outlet) {
    for path in outlet.paths {
      guard let other = paths[path], other != link, let route = links[other]?.route,
        route.id == path, route.upAt <= outlet.beganAt
      else { continue }
      if links[other]?.queue.removeCopy(of: packet) == true { counters.packetsOut += 1 }
    }
  }

  /// The radio takes no more on this path for now.
  mutating func full(_ chunk: Chunk, now: Instant) {
    outlets[chunk.outlet]?.blockedSince = now
  }

  /// The path turned out to be over; that will be told too.
  mutating func gone(_ chunk: Chunk, now: Instant) {
    full(chunk, now: now)
  }

  mutating func writable(_ path: PathID) {
    guard let link = paths[path],
      let outlet = links[link]?.paths.first(where: { $0.id == path })?.outlet
    else { return }
    outlets[outlet]?.blockedSince = nil
    makeReady(outlet)
  }

  /// When an outlet that waits is to be looked at again; nil: none waits.
  var endOfPauses: Instant? {
    var soonest: Instant?
    for outlet in outlets.values {
      let end = outlet.blockedSince.map { $0 + limits.stallTimeout } ?? outlet.pausedUntil
      if let end { soonest = min(soonest ?? end, end) }
    }
    return soonest
  }

  mutating func makeReady(_ outlet: OutletID) {
    guard outlets[outlet]?.isReady == false else { return }
    outlets[outlet]?.isReady = true
    ready.append(outlet)
  }

  /// Goes on after pauses, and closes what takes nothing any more.
  mutating func wakeOutlets(now: Instant) {
    for outlet in outlets.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      if let until = outlet.pausedUntil, now >= until {
        outlets[outlet.id]?.pausedUntil = nil
        makeReady(outlet.id)
      }
      guard let since = outlet.blockedSince, now >= since + limits.stallTimeout else { continue }
      outlets[outlet.id]?.blockedSince = nil
      let stuck = linksInOrder.filter { $0.route?.outlet == outlet.id && !$0.queue.isEmpty }
      for link in stuck {
        close(
          link.id, because: .lost("it took no chunk for \(seconds(limits.stallTimeout)) s"),
          now: now)
      }
    }
  }
}
