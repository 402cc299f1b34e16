internal import Identity
internal import Wire

/// Which messages were shown, so that none is shown twice (PROTOCOL, section 3).
///
/// Apart from the router's table and for as long as packets may live. Pinned senders have a table
/// each; strangers share one, with a share per link.
struct ReceivedMessages: Sendable {
  /// Six hours that a packet may be old, and the fifteen minutes that it may be ahead.
  static let lifetime: Duration = .seconds((6 * 60 + 15) * 60)
  static let strangersCapacity = 4_096
  static let strangersShare = 1_024
  /// Records of pinned senders after which all of theirs are looked through for what has expired.
  static let sweepInterval = 1_024
  static let receiptBurst = 10
  static let receiptsPerSecond = 1

  /// What repeated receipts for one sender are taken from.
  static var newReceiptBucket: TokenBucket {
    TokenBucket(capacity: receiptBurst, perSecond: receiptsPerSecond)
  }

  enum Verdict: Hashable, Sendable {
    /// Not had before: to be shown, then recorded.
    case new
    /// Had before; whether it is answered with its receipt again.
    case repeated(answer: Bool)
    /// Too old to tell whether it was had.
    case refused
  }

  private struct StrangersKey: Hashable, Sendable {
    var sender: PublicKeys
    var messageID: MessageID
  }

  private var pinned: [PublicKeys: MessageHistory] = [:]
  private var recordsSinceSweep = 0
  private var strangers = FairTable<StrangersKey, ShownMessage>(
    capacity: strangersCapacity, share: strangersShare)
  private var strangersReceipts = FairTable<PublicKeys, TokenBucket>(
    capacity: strangersCapacity, share: strangersShare)

  var strangersCount: Int { strangers.count }
  var pinnedCount: Int { pinned.values.reduce(0) { $0 + $1.count } }

  /// Decides about a message that has just been opened in a packet of the id `packet`.
  mutating func judge(
    _ record: ReceivedRecord, packet: PacketID, isPinned: Bool, link: LinkID, now: Instant
  ) -> Verdict {
    guard !isPinned else {
      return pinned[record.sender]?.judge(record, packet: packet, now: now) ?? .new
    }
    let key = StrangersKey(sender: record.sender, messageID: record.messageID)
    guard let message = strangers[key] else { return .new }
    guard !message.isPast(now) else {
      strangers.remove(key)
      return .new
    }
    var receipts = strangersReceipts[record.sender] ?? Self.newReceiptBucket
    var answer = false
    strangers.update(key) { answer = $0.comesAgain(in: packet, now: now, &receipts) }
    if answer { strangersReceipts.set(receipts, for: record.sender, on: link) }
    return .repeated(answer: answer)
  }

  /// Remembers a message that was shown.
  mutating func record(
    _ record: ReceivedRecord, packet: PacketID, isPinned: Bool, link: LinkID, now: Instant
  ) {
    let message = ShownMessage(time: record.time, packet: packet, now: now)
    if isPinned {
      pinned[record.sender, default: MessageHistory()].insert(message, record.messageID)
      recordsSinceSweep += 1
      if recordsSinceSweep >= Self.sweepInterval { sweep(now) }
    } else {
      let key = StrangersKey(sender: record.sender, messageID: record.messageID)
      strangers.set(message, for: key, on: link)
    }
  }

  /// Lets go of what no packet can bring again, of those too who send nothing more.
  private mutating func sweep(_ now: Instant) {
    recordsSinceSweep = 0
    for sender in Array(pinned.keys) where pinned[sender]?.expire(now) == true {
      pinned[sender] = nil
    }
  }

  /// Takes in what the disk remembers of a pinned sender, at the start of a run.
  mutating func restore(_ record: ReceivedRecord, now: Instant) {
    pinned[record.sender, default: MessageHistory()]
      .insert(ShownMessage(restored: record, now: now), record.messageID)
  }

  /// Moves what was had of a stranger into the table of their own that a pinned sender has.
  ///
  /// - Returns: what the disk has to remember from now on, oldest first.
  mutating func pin(_ keys: PublicKeys) -> [ReceivedRecord] {
    let theirs = strangers.entries.filter { $0.key.sender == keys }
      .map { (id: $0.key.messageID, message: $0.value) }
      .sorted {
        ($0.message.shownAt, $0.message.time, $0.id) < ($1.message.shownAt, $1.message.time, $1.id)
      }
    strangersReceipts.remove(keys)
    return theirs.map { id, message in
      strangers.remove(StrangersKey(sender: keys, messageID: id))
      pinned[keys, default: MessageHistory()].insert(message, id)
      return ReceivedRecord(sender: keys, messageID: id, time: message.time)
    }
  }

  /// A link went down.
  mutating func linkDown(_ link: LinkID) {
    strangers.linkDown(link)
    strangersReceipts.linkDown(link)
  }
}
