public import Wire

/// Holds what this device sends until the recipient's receipt comes, and says when to send it again
/// (PROTOCOL, section 6).
///
/// A value without I/O: it is told what happened and when, and answers with what to do. It decides
/// when; sealing and sending are the caller's. Everything is timed by the monotonic clock; only the
/// six hours that a message may be old are judged by the wall clock, so a wrong clock loses nothing:
/// what looks too old is held back, not thrown away.
///
/// `Recipient` is whatever tells two people apart for certain, their full keys: a receipt counts only
/// from the very recipient.
public struct Outbox<Recipient: Hashable & Sendable>: Sendable {
  private let limits: OutboxLimits
  private var jitter: Jitter
  /// Oldest first.
  private var entries: [Entry<Recipient>] = []
  private var sequenceOf: [MessageID: UInt64] = [:]
  private var nextSequence: UInt64 = 0
  private var byteCount = 0
  private var offers: [LinkID: OfferQueue] = [:]
  /// When the next message may be sent again.
  private var nextResend = Instant(nanoseconds: .min)
  /// No later than anything falls due; a removal may leave it early, which costs one idle wake.
  private var nextWake = Instant.distantFuture

  /// An empty outbox; `seed` spreads the times of its resendings.
  public init(limits: OutboxLimits = .standard, seed: UInt64) {
    precondition(limits.laterStep > .zero, "a schedule that does not move on never ends")
    self.limits = limits
    jitter = Jitter(seed: seed)
  }

  /// When `wake` wants to be called next; nil while nothing waits.
  public var deadline: Instant? { nextWake == .distantFuture ? nil : nextWake }

  /// Takes in a message that was just sealed for the first time, its packet's id being its own.
  ///
  /// `size` is what the caller keeps of it besides, in bytes. It goes out at once on every link, or
  /// waits when there is none.
  public mutating func add(
    _ packet: Packet, to recipient: Recipient, size: Int, now: Instant, wallClock: Timestamp
  ) throws(OutboxError) -> [OutboxEffect] {
    let id = MessageID(packet.header.id)
    var entry = Entry(
      id: id, recipient: recipient, sequence: nextSequence, size: max(0, size), addedAt: now,
      packet: packet)
    guard sequenceOf[id] == nil else { throw .alreadyHeld }
    guard !entry.isTooOld(limits, wallClock: wallClock) else { throw .tooOld }
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
    nextWake = min(nextWake, due(entry, now: now, wallClock: wallClock))
    return effects
  }

  /// A link came up: whatever waits is offered on it, oldest first.
  public mutating func linkUp(_ link: LinkID, now: Instant, wallClock: Timestamp)
    -> [OutboxEffect]
  {
    guard offers[link] == nil else { return [] }
    if offers.isEmpty {
      // What fell due while no link was up is covered by the offer to this one.
      for index in entries.indices { entries[index].scheduleNext(limits, now: now, &jitter) }
    }
    offers[link] = OfferQueue(owed: entries.map(\.sequence), notBefore: now)
    return wake(now: now, wallClock: wallClock)
  }

  /// A link went down, and what was still to be offered on it with it.
  public mutating func linkDown(_ link: LinkID) { offers[link] = nil }

  /// The link's queue was full and the message's packet was shed: it is offered again on this link
  /// a little later.
  public mutating func packetWasShed(
    _ id: MessageID, on link: LinkID, now: Instant, wallClock: Timestamp
  ) {
    guard let sequence = sequenceOf[id] else { return }
    offers[link]?.owe(sequence)
    offers[link]?.hold(until: now + limits.afterShedding)
    nextWake = earliest(now: now, wallClock: wallClock)
  }

  /// A hello of this person, newer than any before, was heard, near or relayed.
  ///
  /// One that comes too soon after the last sending is remembered until that is long enough ago: the
  /// relays have that packet already, and a person who only now came within reach would otherwise
  /// wait for the schedule's next step, half an hour at worst.
  public mutating func heard(_ recipient: Recipient, now: Instant, wallClock: Timestamp)
    -> [OutboxEffect]
  {
    var isAwaited = false
    for index in entries.indices where entries[index].recipient == recipient {
      entries[index].isRecipientHeard = true
      isAwaited = true
    }
    return isAwaited ? wake(now: now, wallClock: wallClock) : []
  }

  /// A sealed receipt opened from `sender`; for an unknown message, or from anybody but its
  /// recipient, nothing happens.
  public mutating func receipt(for id: MessageID, from sender: Recipient) -> [OutboxEffect] {
    guard let index = index(of: id), entries[index].recipient == sender else { return [] }
    remove(at: index)
    return [.stateChanged(id, .delivered)]
  }

  /// Keeps the packet that `sendFresh` asked for, to be offered from now on.
  ///
  /// It must carry the message's own time: what the six hours are counted from does not change.
  public mutating func replacePacket(of id: MessageID, with packet: Packet) {
    guard let index = index(of: id) else { return }
    precondition(
      packet.header.time == entries[index].packet.header.time, "a message keeps its time")
    byteCount += packet.encoded.count - entries[index].packet.encoded.count
    entries[index].packet = packet
  }

  /// Gives up every message to this person.
  public mutating func fail(_ recipient: Recipient, because reason: FailureReason)
    -> [OutboxEffect]
  {
    failAll(because: reason) { $0.recipient == recipient }
  }

  /// Gives up everything, so that each message can be named before the program ends.
  public mutating func stop() -> [OutboxEffect] { failAll(because: .stopped) { _ in true } }

  /// Does what has fallen due.
  public mutating func wake(now: Instant, wallClock: Timestamp) -> [OutboxEffect] {
    let patience = limits.patience
    var effects = failAll(because: .patience) { now - $0.addedAt >= patience }
    for index in entries.indices
    where !entries[index].isAgeLimitTold && entries[index].isTooOld(limits, wallClock: wallClock) {
      entries[index].isAgeLimitTold = true
      effects.append(.ageLimitReached(entries[index].id))
    }
    if !offers.isEmpty {
      sendFresh(now, wallClock, into: &effects)
      for link in offers.keys.sorted() { offer(on: link, now, wallClock, into: &effects) }
    }
    nextWake = earliest(now: now, wallClock: wallClock)
    return effects
  }
}

// MARK: What is held

extension Outbox {
  /// The messages that wait for a receipt, oldest first.
  public var messages: [MessageID] { entries.map(\.id) }

  /// The packet as last sealed; nil for a message that is not held.
  public func packet(of id: MessageID) -> Packet? { index(of: id).map { entries[$0].packet } }

  /// Whom a message is for; nil for a message that is not held.
  public func recipient(of id: MessageID) -> Recipient? {
    index(of: id).map { entries[$0].recipient }
  }

  /// `waiting` or `sent`; nil for a message that is not held.
  public func state(of id: MessageID) -> MessageState? {
    index(of: id).map { entries[$0].sending == nil ? .waiting : .sent }
  }

  /// Every bound with how full it is, for `/stats`.
  public var bounds: [(name: String, fill: Int, limit: Int)] {
    [
      ("outbox-messages", entries.count, limits.messages),
      ("outbox-bytes", byteCount, limits.bytes),
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

  private mutating func failAll(
    because reason: FailureReason, where isLost: (Entry<Recipient>) -> Bool
  ) -> [OutboxEffect] {
    let lost = entries.filter(isLost).map(\.id)
    for id in lost {
      if let index = index(of: id) { remove(at: index) }
    }
    return lost.map { .stateChanged($0, .failed(reason)) }
  }
}

// MARK: What falls due

extension Outbox {
  /// Sends again, under fresh packet ids, what the schedule or a hello wants, no faster than the
  /// pace: a hello may find a thousand messages waiting for its sender.
  private mutating func sendFresh(
    _ now: Instant, _ wallClock: Timestamp, into effects: inout [OutboxEffect]
  ) {
    for index in entries.indices {
      guard nextResend <= now else { return }
      guard let due = entries[index].freshDue(limits), due <= now,
        !entries[index].isTooOld(limits, wallClock: wallClock)
      else { continue }
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
      entries[index].noteOffer(now: now)
    }
  }

  /// The oldest message owed that receivers would still accept.
  private func firstOffer(_ queue: OfferQueue, _ wallClock: Timestamp) -> Int? {
    for sequence in queue.owed {
      if let index = index(ofSequence: sequence),
        !entries[index].isTooOld(limits, wallClock: wallClock)
      {
        return index
      }
    }
    return nil
  }

  private func earliest(now: Instant, wallClock: Timestamp) -> Instant {
    var earliest = Instant.distantFuture
    for entry in entries { earliest = min(earliest, due(entry, now: now, wallClock: wallClock)) }
    for queue in offers.values where firstOffer(queue, wallClock) != nil {
      earliest = min(earliest, queue.notBefore)
    }
    return earliest
  }

  /// When something next happens to this message, offers left aside.
  private func due(_ entry: Entry<Recipient>, now: Instant, wallClock: Timestamp) -> Instant {
    var due = entry.addedAt + limits.patience
    if entry.isTooOld(limits, wallClock: wallClock) {
      return min(due, entry.isAgeLimitTold ? now + limits.clockRecheck : now)
    }
    if !entry.isAgeLimitTold {
      let age = wallClock.since(entry.packet.header.time)
      due = min(due, now + (limits.maximumAge - age) + .milliseconds(1))
    }
    if !offers.isEmpty, let fresh = entry.freshDue(limits) {
      due = min(due, max(fresh, nextResend))
    }
    return due
  }
}
