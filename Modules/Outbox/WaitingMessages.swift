internal import Wire

/// The messages of an outbox and when each falls due, whomever they are for.
///
/// Apart from `Outbox` because that is generic over its recipients: code generic across modules is
/// not specialised, and this looks at a thousand messages at a time.
struct WaitingMessages: Sendable {
  private let limits: OutboxLimits
  private var jitter: Jitter
  /// Oldest first.
  private var entries: [Entry] = []
  private var sequenceOf: [MessageID: UInt64] = [:]
  private var nextSequence: UInt64 = 0
  private var byteCount = 0
  private var offers: [LinkID: OfferQueue] = [:]
  /// When the next message may be sent again.
  private var nextResend = Instant(nanoseconds: .min)
  /// No later than anything falls due; a removal may leave it early, which costs one idle wake.
  private var nextWake = Instant.distantFuture

  init(_ limits: OutboxLimits, jitter: Jitter) {
    precondition(limits.laterStep > .zero, "a schedule that does not move on never ends")
    self.limits = limits
    self.jitter = jitter
  }

  var deadline: Instant? { nextWake == .distantFuture ? nil : nextWake }

  mutating func add(
    _ packet: Packet, size: Int, now: Instant, wallClock: Timestamp
  ) throws(OutboxError) -> [OutboxEffect] {
    var entry = Entry(
      packet, sequence: nextSequence, size: min(max(0, size), limits.bytes), limits, now: now)
    let id = entry.id
    guard sequenceOf[id] == nil else { throw .alreadyHeld }
    guard !entry.isTooOld(wallClock) else { throw .tooOld }
    guard entries.count < limits.messages else { throw .fullOfMessages(limit: limits.messages) }
    guard entry.byteCount <= limits.bytes - byteCount else {
      throw .fullOfBytes(limit: limits.bytes)
    }
    var effects: [OutboxEffect] = [.stateChanged(id, .waiting)]
    if !offers.isEmpty {
      entry.noteFirst(limits, now: now, &jitter)
      effects = [.send(id), .stateChanged(id, .sent)]
    }
    nextSequence += 1
    sequenceOf[id] = entry.sequence
    byteCount += entry.byteCount
    entries.append(entry)
    nextWake = min(nextWake, earliest(from: entries.count - 1, now, wallClock))
    return effects
  }

  mutating func linkUp(_ link: LinkID, now: Instant, wallClock: Timestamp) -> [OutboxEffect] {
    guard offers[link] == nil else { return [] }
    if offers.isEmpty {
      // What fell due while no link was up is covered by the offer to this one.
      for index in entries.indices { entries[index].scheduleNext(limits, now: now, &jitter) }
    }
    offers[link] = OfferQueue(owed: entries.map(\.sequence), notBefore: now)
    return wake(now: now, wallClock: wallClock)
  }

  mutating func linkDown(_ link: LinkID) { offers[link] = nil }

  mutating func packetWasShed(
    _ id: MessageID, on link: LinkID, now: Instant, wallClock: Timestamp
  ) {
    guard let sequence = sequenceOf[id], offers[link] != nil else { return }
    offers[link]?.owe(sequence)
    offers[link]?.hold(until: now + limits.afterShedding)
    nextWake = earliest(now, wallClock)
  }

  mutating func recipientHeard(_ messages: [MessageID], now: Instant, wallClock: Timestamp)
    -> [OutboxEffect]
  {
    for id in messages {
      if let index = index(of: id) { entries[index].noteHeard(limits) }
    }
    return wake(now: now, wallClock: wallClock)
  }

  mutating func replacePacket(of id: MessageID, with packet: Packet) {
    guard let index = index(of: id) else { return }
    precondition(
      packet.header.time == entries[index].packet.header.time, "a message keeps its time")
    byteCount += packet.encoded.count - entries[index].packet.encoded.count
    entries[index].packet = packet
  }

  mutating func end(_ messages: [MessageID], as state: MessageState) -> [OutboxEffect] {
    for id in messages {
      if let index = index(of: id) { remove(at: index) }
    }
    return messages.map { .stateChanged($0, state) }
  }

  mutating func wake(now: Instant, wallClock: Timestamp) -> [OutboxEffect] {
    var effects: [OutboxEffect] = []
    // The oldest runs out first: each has the same patience.
    while let oldest = entries.first, oldest.patienceEnds <= now {
      remove(at: 0)
      effects.append(.stateChanged(oldest.id, .failed(.patience)))
    }
    for index in entries.indices
    where entries[index].isTooOld(wallClock) && !entries[index].isAgeLimitTold {
      entries[index].isAgeLimitTold = true
      effects.append(.ageLimitReached(entries[index].id))
    }
    if !offers.isEmpty {
      sendFresh(now, wallClock, into: &effects)
      for link in offers.keys.sorted() { offer(on: link, now, wallClock, into: &effects) }
    }
    nextWake = earliest(now, wallClock)
    return effects
  }
}

// MARK: What is held

extension WaitingMessages {
  var messages: [MessageID] { entries.map(\.id) }

  func packet(of id: MessageID) -> Packet? { index(of: id).map { entries[$0].packet } }

  func state(of id: MessageID) -> MessageState? {
    index(of: id).map { entries[$0].sending == nil ? .waiting : .sent }
  }

  var bounds: [(name: String, fill: Int, limit: Int)] {
    [
      ("outbox-messages", entries.count, limits.messages),
      ("outbox-bytes", byteCount, limits.bytes),
      // Of the link that is owed most; each is owed every message at the most.
      ("outbox-offers", offers.values.map(\.owed.count).max() ?? 0, limits.messages),
    ]
  }

  private func index(of id: MessageID) -> Int? { sequenceOf[id].flatMap(index(ofSequence:)) }

  private func index(ofSequence sequence: UInt64) -> Int? {
    let index = entries.partitioningIndex { $0.sequence >= sequence }
    return index < entries.count && entries[index].sequence == sequence ? index : nil
  }

  private mutating func remove(at index: Int) {
    let entry = entries.remove(at: index)
    sequenceOf[entry.id] = nil
    byteCount -= entry.byteCount
    for link in offers.keys { offers[link]?.settle(entry.sequence) }
    if entries.isEmpty { nextWake = .distantFuture }
  }
}

// MARK: What falls due

extension WaitingMessages {
  /// Sends again, under fresh packet ids, what the schedule or a hello wants, no faster than the
  /// pace: a hello may find a thousand messages waiting for its sender.
  private mutating func sendFresh(
    _ now: Instant, _ wallClock: Timestamp, into effects: inout [OutboxEffect]
  ) {
    for index in entries.indices {
      guard nextResend <= now else { return }
      guard entries[index].freshDue <= now, !entries[index].isTooOld(wallClock) else { continue }
      entries[index].noteFresh(limits, now: now, &jitter)
      effects.append(.sendFresh(entries[index].id))
      nextResend = now + limits.pace
      // Every link gets this one, so it is owed to none, and takes its turn on each.
      for link in offers.keys {
        offers[link]?.settle(entries[index].sequence)
        offers[link]?.hold(until: now + limits.pace)
      }
    }
  }

  private mutating func offer(
    on link: LinkID, _ now: Instant, _ wallClock: Timestamp, into effects: inout [OutboxEffect]
  ) {
    guard let queue = offers[link], queue.notBefore <= now,
      let index = firstOffer(queue, wallClock)
    else { return }
    offers[link]?.settle(entries[index].sequence)
    offers[link]?.hold(until: now + limits.pace)
    effects.append(.offer(entries[index].id, on: link))
    if entries[index].sending == nil {
      entries[index].noteFirst(limits, now: now, &jitter)
      effects.append(.stateChanged(entries[index].id, .sent))
    } else {
      entries[index].noteOffer(limits, now: now)
    }
  }

  /// The oldest message owed that receivers would still accept.
  private func firstOffer(_ queue: OfferQueue, _ wallClock: Timestamp) -> Int? {
    for sequence in queue.owed {
      if let index = index(ofSequence: sequence), !entries[index].isTooOld(wallClock) {
        return index
      }
    }
    return nil
  }

  /// When something next happens to the messages from this one on, or to any link.
  private func earliest(from first: Int = 0, _ now: Instant, _ wallClock: Timestamp) -> Instant {
    var earliest = Instant.distantFuture
    var freshDue = Instant.distantFuture
    // The last value of a clock is passed by none.
    var ageLimit = Timestamp(milliseconds: .max)
    for index in first..<entries.count {
      earliest = min(earliest, entries[index].patienceEnds)
      let lastAccepted = entries[index].lastAccepted
      if wallClock > lastAccepted {
        // A clock that is put right tells nobody, so it is looked at again.
        let isTold = entries[index].isAgeLimitTold
        earliest = min(earliest, isTold ? now + limits.clockRecheck : now)
      } else {
        freshDue = min(freshDue, entries[index].freshDue)
        if !entries[index].isAgeLimitTold { ageLimit = min(ageLimit, lastAccepted) }
      }
    }
    if ageLimit.milliseconds < .max {
      earliest = min(earliest, now + ageLimit.since(wallClock) + .milliseconds(1))
    }
    guard !offers.isEmpty else { return earliest }
    if freshDue < .distantFuture { earliest = min(earliest, max(freshDue, nextResend)) }
    for queue in offers.values where queue.notBefore < earliest {
      if firstOffer(queue, wallClock) != nil { earliest = queue.notBefore }
    }
    return earliest
  }
}
