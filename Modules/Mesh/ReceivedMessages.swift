public import Wire

/// A message that was opened, as it is remembered on disk for pinned senders.
public struct ReceivedRecord: Hashable, Sendable {
  public let sender: PublicKeys
  public let messageID: MessageID
  public let time: Timestamp

  public init(sender: PublicKeys, messageID: MessageID, time: Timestamp) {
    self.sender = sender
    self.messageID = messageID
    self.time = time
  }
}

/// Which messages were opened, so that none is shown twice (PROTOCOL, section 3).
///
/// Apart from the router's table and for as long as packets may live. Pinned senders have a table
/// each; strangers share one, with a share per link.
struct ReceivedMessages: Sendable {
  /// Six hours that a packet may be old, and the fifteen minutes that it may be ahead.
  static let lifetime: Duration = .seconds((6 * 60 + 15) * 60)
  static let capacityPerPinnedSender = 4_096
  static let strangersCapacity = 4_096
  static let strangersShare = 1_024
  /// Packet ids under which a message was opened that are remembered, beside its own.
  static let maximumPacketIDs = 8
  static let repeatInterval: Duration = .seconds(1)
  static let receiptBurst = 10
  static let receiptsPerSecond = 1

  enum Verdict: Hashable, Sendable {
    /// Not had before: to be shown, then recorded.
    case new
    /// Had before; whether it is answered with its receipt again.
    case repeated(answer: Bool)
    /// Too old to tell whether it was had.
    case refused
  }

  private struct Entry: Sendable {
    var time: Timestamp
    var openedAt: Instant
    var lastReceiptAt: Instant
    var packetIDs: [PacketID] = []
  }

  private struct Sender: Sendable {
    var entries: [MessageID: Entry] = [:]
    /// In the order of opening, from `oldest` on.
    var order: [MessageID] = []
    var oldest = 0
    /// The newest time of what went because the table was full.
    var floor: Timestamp?
    var receipts = TokenBucket(
      capacity: receiptBurst, perSecond: receiptsPerSecond)
  }

  private struct StrangersKey: Hashable, Sendable {
    var sender: PublicKeys
    var messageID: MessageID
  }

  private var pinned: [PublicKeys: Sender] = [:]
  private var strangers = FairTable<StrangersKey, Entry>(
    capacity: strangersCapacity, share: strangersShare)
  private var strangersReceipts = FairTable<PublicKeys, TokenBucket>(
    capacity: strangersCapacity, share: strangersShare)

  var strangersCount: Int { strangers.count }
  var pinnedCount: Int { pinned.values.reduce(0) { $0 + $1.entries.count } }

  /// Decides about a message that has just been opened under `packetID`.
  mutating func judge(
    _ record: ReceivedRecord, packetID: PacketID, isPinned: Bool, link: LinkID, now: Instant
  ) -> Verdict {
    if isPinned { return judgePinned(record, packetID: packetID, now: now) }
    let key = StrangersKey(sender: record.sender, messageID: record.messageID)
    guard var entry = strangers[key] else { return .new }
    if now - entry.openedAt > Self.lifetime {
      strangers.remove(key)
      return .new
    }
    let isFresh = Self.note(packetID, in: &entry, of: record.messageID)
    var answer = false
    if isFresh, now - entry.lastReceiptAt >= Self.repeatInterval {
      var bucket =
        strangersReceipts[record.sender]
        ?? TokenBucket(capacity: Self.receiptBurst, perSecond: Self.receiptsPerSecond)
      answer = bucket.take(at: now)
      strangersReceipts.set(bucket, for: record.sender, on: link)
    }
    if answer { entry.lastReceiptAt = now }
    strangers.update(key) { $0 = entry }
    return .repeated(answer: answer)
  }

  private mutating func judgePinned(
    _ record: ReceivedRecord, packetID: PacketID, now: Instant
  ) -> Verdict {
    var sender = pinned[record.sender] ?? Sender()
    pinned[record.sender] = nil  // so that `sender` is changed in place
    defer { pinned[record.sender] = sender }
    Self.expire(&sender, now: now)
    guard var entry = sender.entries[record.messageID] else {
      if let floor = sender.floor, record.time <= floor { return .refused }
      return .new
    }
    let isFresh = Self.note(packetID, in: &entry, of: record.messageID)
    let answer =
      isFresh && now - entry.lastReceiptAt >= Self.repeatInterval && sender.receipts.take(at: now)
    if answer { entry.lastReceiptAt = now }
    sender.entries[record.messageID] = entry
    return .repeated(answer: answer)
  }

  /// Remembers a message that was shown.
  mutating func record(
    _ record: ReceivedRecord, packetID: PacketID, isPinned: Bool, link: LinkID, now: Instant
  ) {
    var entry = Entry(time: record.time, openedAt: now, lastReceiptAt: now)
    _ = Self.note(packetID, in: &entry, of: record.messageID)
    if isPinned {
      insert(entry, record)
    } else {
      let key = StrangersKey(sender: record.sender, messageID: record.messageID)
      strangers.set(entry, for: key, on: link)
    }
  }

  /// Takes in what the disk remembers, at the start of a run.
  mutating func restore(_ records: some Sequence<ReceivedRecord>, now: Instant) {
    for record in records {
      insert(
        Entry(
          time: record.time, openedAt: now,
          lastReceiptAt: now - Self.repeatInterval), record)
    }
  }

  /// Moves what was had of a stranger into the table of their own that a pinned sender has.
  ///
  /// - Returns: what the disk has to remember from now on.
  mutating func pin(_ keys: PublicKeys) -> [ReceivedRecord] {
    let theirs = strangers.entries.filter { $0.key.sender == keys }
      .sorted { $0.value.openedAt < $1.value.openedAt }
    return theirs.map { key, entry in
      strangers.remove(key)
      let record = ReceivedRecord(sender: keys, messageID: key.messageID, time: entry.time)
      insert(entry, record)
      return record
    }
  }

  private mutating func insert(_ entry: Entry, _ record: ReceivedRecord) {
    var sender = pinned[record.sender] ?? Sender()
    pinned[record.sender] = nil
    defer { pinned[record.sender] = sender }
    guard sender.entries.updateValue(entry, forKey: record.messageID) == nil else { return }
    sender.order.append(record.messageID)
    while sender.entries.count > Self.capacityPerPinnedSender {
      guard let gone = Self.removeOldest(&sender) else { break }
      sender.floor = max(sender.floor ?? .zero, gone.time)
    }
  }

  private static func expire(_ sender: inout Sender, now: Instant) {
    while sender.oldest < sender.order.count,
      let entry = sender.entries[sender.order[sender.oldest]],
      now - entry.openedAt > lifetime
    {
      _ = removeOldest(&sender)
    }
  }

  private static func removeOldest(_ sender: inout Sender) -> Entry? {
    guard sender.oldest < sender.order.count else { return nil }
    let entry = sender.entries.removeValue(forKey: sender.order[sender.oldest])
    sender.oldest += 1
    if sender.oldest > capacityPerPinnedSender {
      sender.order.removeFirst(sender.oldest)
      sender.oldest = 0
    }
    return entry
  }

  /// Notes a packet id; true when the message was not opened under it before.
  ///
  /// The id of the first sending is the message's own and needs no memory.
  private static func note(_ id: PacketID, in entry: inout Entry, of message: MessageID) -> Bool {
    if entry.packetIDs.contains(id) { return false }
    entry.packetIDs.append(id)
    if entry.packetIDs.count > maximumPacketIDs { entry.packetIDs.removeFirst() }
    return MessageID(id) != message
  }
}
