public import Wire

/// Holds what this device sends until the recipient's receipt comes, and says when to send it again
/// (PROTOCOL, section 6).
///
/// A value without I/O: it is told what happened and when, and answers with what to do. It decides
/// when; sealing and sending are the caller's. Everything is timed by the monotonic clock; only the
/// six hours that a message may be old are judged by the wall clock, so a wrong clock loses nothing:
/// what looks too old is held back, not thrown away.
///
/// Texts alone go through it: receipts and call signals are never queued.
///
/// `Recipient` is whatever tells two people apart for certain, their full keys: a receipt counts only
/// from the very recipient.
public struct Outbox<Recipient: Hashable & Sendable>: Sendable {
  private var waiting: WaitingMessages
  private var recipientOf: [MessageID: Recipient] = [:]
  /// Oldest first for each recipient; nobody without a message is in it.
  private var messagesOf: [Recipient: [MessageID]] = [:]

  /// An empty outbox; `seed` spreads the times of its resendings.
  public init(limits: OutboxLimits = .standard, seed: UInt64) {
    waiting = WaitingMessages(limits, jitter: Jitter(seed: seed))
  }

  /// When `wake` wants to be called next; nil while nothing waits.
  public var deadline: Instant? { waiting.deadline }

  /// Takes in a message that was just sealed for the first time, its packet's id being its own.
  ///
  /// `size` is what the caller keeps of it besides, in bytes. It goes out at once on every link, or
  /// waits when there is none.
  public mutating func add(
    _ packet: Packet, to recipient: Recipient, size: Int, now: Instant, wallClock: Timestamp
  ) throws(OutboxError) -> [OutboxEffect] {
    let effects = try waiting.add(packet, size: size, now: now, wallClock: wallClock)
    let id = MessageID(packet.header.id)
    recipientOf[id] = recipient
    messagesOf[recipient, default: []].append(id)
    return effects
  }

  /// A link came up: whatever waits is offered on it, oldest first.
  public mutating func linkUp(_ link: LinkID, now: Instant, wallClock: Timestamp)
    -> [OutboxEffect]
  {
    clearing(waiting.linkUp(link, now: now, wallClock: wallClock))
  }

  /// A link went down, and what was still to be offered on it with it.
  public mutating func linkDown(_ link: LinkID) { waiting.linkDown(link) }

  /// The link's queue was full and the message's packet was shed: it is offered again on this link
  /// a little later.
  public mutating func packetWasShed(
    _ id: MessageID, on link: LinkID, now: Instant, wallClock: Timestamp
  ) {
    waiting.packetWasShed(id, on: link, now: now, wallClock: wallClock)
  }

  /// A hello of this person, newer than any before, was heard, near or relayed.
  ///
  /// One that comes too soon after the last sending is remembered until that is long enough ago: the
  /// relays have that packet already, and a person who only now came within reach would otherwise
  /// wait for the schedule's next step, half an hour at worst.
  public mutating func heard(_ recipient: Recipient, now: Instant, wallClock: Timestamp)
    -> [OutboxEffect]
  {
    guard let messages = messagesOf[recipient] else { return [] }
    return clearing(waiting.recipientHeard(messages, now: now, wallClock: wallClock))
  }

  /// A sealed receipt opened from `sender`; for an unknown message, or from anybody but its
  /// recipient, nothing happens.
  public mutating func receipt(for id: MessageID, from sender: Recipient) -> [OutboxEffect] {
    guard recipientOf[id] == sender else { return [] }
    return clearing(waiting.end([id], as: .delivered))
  }

  /// Keeps the packet that `sendFresh` asked for, to be offered from now on.
  ///
  /// It must carry the message's own time: what the six hours are counted from does not change.
  public mutating func replacePacket(of id: MessageID, with packet: Packet) {
    waiting.replacePacket(of: id, with: packet)
  }

  /// Gives up every message to this person.
  public mutating func fail(_ recipient: Recipient, because reason: FailureReason)
    -> [OutboxEffect]
  {
    clearing(waiting.end(messagesOf[recipient] ?? [], as: .failed(reason)))
  }

  /// Gives up everything, so that each message can be named before the program ends.
  public mutating func stop() -> [OutboxEffect] {
    clearing(waiting.end(messages, as: .failed(.stopped)))
  }

  /// Does what has fallen due.
  public mutating func wake(now: Instant, wallClock: Timestamp) -> [OutboxEffect] {
    clearing(waiting.wake(now: now, wallClock: wallClock))
  }

  /// Forgets whom a message was for once it is told to be at its end.
  private mutating func clearing(_ effects: [OutboxEffect]) -> [OutboxEffect] {
    for case .stateChanged(let id, let state) in effects {
      switch state {
      case .waiting, .sent: continue
      case .delivered, .failed: break
      }
      guard let recipient = recipientOf.removeValue(forKey: id) else { continue }
      messagesOf[recipient]?.removeAll { $0 == id }
      if messagesOf[recipient]?.isEmpty == true { messagesOf[recipient] = nil }
    }
    return effects
  }
}

extension Outbox {
  /// The messages that wait for a receipt, oldest first.
  public var messages: [MessageID] { waiting.messages }

  /// The packet as last sealed; nil for a message that is not held.
  public func packet(of id: MessageID) -> Packet? { waiting.packet(of: id) }

  /// Whom a message is for; nil for a message that is not held.
  public func recipient(of id: MessageID) -> Recipient? { recipientOf[id] }

  /// `waiting` or `sent`; nil for a message that is not held.
  public func state(of id: MessageID) -> MessageState? { waiting.state(of: id) }

  /// Every bound with how full it is, for `/stats`.
  public var bounds: [(name: String, fill: Int, limit: Int)] { waiting.bounds }
}
