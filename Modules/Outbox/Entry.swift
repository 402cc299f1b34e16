internal import Wire

/// One message that waits for its receipt.
///
/// What it waits for stands in it as moments, not as durations to be added up: an outbox of a
/// thousand messages looks at all of them fifty times a second while it sends them again.
struct Entry: Sendable {
  let id: MessageID
  /// Counts up with every message taken in: the order in which they are offered.
  let sequence: UInt64
  /// What the caller keeps of it, in bytes.
  let size: Int
  /// When the outbox gives it up.
  let patienceEnds: Instant
  /// The last moment of the wall clock at which receivers take it.
  let lastAccepted: Timestamp
  /// As last sealed.
  var packet: Packet
  /// Nil while it waits for its first link.
  private(set) var sending: Sending?
  /// The recipient was heard, and no fresh packet has gone out since.
  private(set) var isRecipientHeard = false
  /// When it is to be sent under a fresh packet id, a link being up; never before its first sending,
  /// which is the offer's to make.
  private(set) var freshDue = Instant.distantFuture
  var isAgeLimitTold = false

  /// What is known once it went out.
  struct Sending: Sendable {
    let first: Instant
    /// The last sending of any sort: at once, offered or fresh.
    var last: Instant
    /// The last fresh packet; the first sending is one.
    var lastFresh: Instant
    /// The last fresh packet that a hello brought about.
    var lastAfterHello: Instant?
    /// Steps of the schedule that are behind.
    var step = 0
    /// When the schedule wants it sent again.
    var scheduled: Instant
  }

  init(
    _ packet: Packet, sequence: UInt64, size: Int,
    _ limits: OutboxLimits, now: Instant
  ) {
    id = MessageID(packet.header.id)
    self.sequence = sequence
    self.size = size
    self.packet = packet
    patienceEnds = now + limits.patience
    lastAccepted = packet.header.time.advanced(by: limits.maximumAge)
  }

  var byteCount: Int { size + packet.encoded.count }

  func isTooOld(_ wallClock: Timestamp) -> Bool { wallClock > lastAccepted }

  /// Notes the first sending, and draws when the next one falls due.
  mutating func noteFirst(_ limits: OutboxLimits, now: Instant, _ jitter: inout Jitter) {
    sending = Sending(first: now, last: now, lastFresh: now, scheduled: now)
    scheduleNext(limits, now: now, &jitter)
  }

  mutating func noteOffer(_ limits: OutboxLimits, now: Instant) {
    sending?.last = now
    setFreshDue(limits)
  }

  mutating func noteHeard(_ limits: OutboxLimits) {
    isRecipientHeard = true
    setFreshDue(limits)
  }

  mutating func noteFresh(_ limits: OutboxLimits, now: Instant, _ jitter: inout Jitter) {
    if isRecipientHeard { sending?.lastAfterHello = now }
    isRecipientHeard = false
    sending?.last = now
    sending?.lastFresh = now
    scheduleNext(limits, now: now, &jitter)
  }

  /// Moves the schedule on to its first step that still lies ahead.
  mutating func scheduleNext(_ limits: OutboxLimits, now: Instant, _ jitter: inout Jitter) {
    guard var sending else { return }
    while sending.scheduled <= now, sending.scheduled < .distantFuture {
      let nominal: Duration
      let spread: Duration
      if sending.step < limits.schedule.count {
        nominal = limits.schedule[sending.step]
        spread = nominal / 4
      } else {
        let steps = sending.step - limits.schedule.count + 1
        nominal = (limits.schedule.last ?? .zero) + limits.laterStep * steps
        spread = limits.laterStep / 4
      }
      sending.scheduled = sending.first + nominal + jitter.next(upTo: spread)
      sending.step += 1
    }
    self.sending = sending
    setFreshDue(limits)
  }

  private mutating func setFreshDue(_ limits: OutboxLimits) {
    guard let sending else { return }
    freshDue = sending.scheduled
    if isRecipientHeard {
      var afterHello = sending.last + limits.quietBeforeHello + .nanoseconds(1)
      if let last = sending.lastAfterHello {
        afterHello = max(afterHello, last + limits.betweenHellos)
      }
      freshDue = min(freshDue, afterHello)
    }
    freshDue = max(freshDue, sending.lastFresh + limits.betweenFresh)
  }
}

/// Spreads the resendings of many devices, so that they do not fall together.
struct Jitter: Sendable {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Between −`spread` and +`spread`, to the millisecond; `spread` is not negative.
  mutating func next(upTo spread: Duration) -> Duration {
    let width = max(0, spread.wholeMilliseconds)
    return .milliseconds(Int64.random(in: -width...width, using: &random))
  }
}
