internal import Wire

/// What is remembered of those who sent call signals, each apart (PROTOCOL, section 7).
///
/// Pinned people have a table of their own, which no number of strangers can push anybody out of;
/// and of strangers each link has its share.
struct CallMemory: Sendable {
  static let pinnedCapacity = 4_096
  static let strangersCapacity = 256
  /// Strangers remembered of those heard on one link.
  static let strangersShare = 64
  /// Whose share strangers count for whom no link brought: those of calls of our own.
  static let ownShare = LinkID(0)
  /// Ended calls remembered for each sender.
  static let endedCapacity = 8

  private var pinned = SenderTable(capacity: pinnedCapacity)
  private var strangers = FairTable<PublicKeys, Sender>(
    capacity: strangersCapacity, share: strangersShare)

  var pinnedCount: Int { pinned.count }
  var strangersCount: Int { strangers.count }

  /// Takes in the time of a signal that came in on `link`.
  ///
  /// - Returns: whether it is newer than every one of this sender's before.
  mutating func note(
    _ party: CallParty, time: Timestamp, on link: LinkID, wallClock: Timestamp
  ) -> Bool {
    update(party, on: link) { sender in
      if let newest = sender.newest, newest.since(wallClock) > SendingClock.maximumLead {
        sender.newest = nil
      }
      guard let newest = sender.newest else {
        sender.newest = time
        return true
      }
      sender.newest = max(newest, time)
      return time > newest
    }
  }

  /// The call of this nonce with `party` is over, or must never begin.
  mutating func end(
    _ nonce: CallNonce, with party: CallParty, on link: LinkID = CallMemory.ownShare
  ) {
    update(party, on: link) { sender in
      guard !sender.ended.contains(nonce) else { return }
      sender.ended.append(nonce)
      if sender.ended.count > Self.endedCapacity { sender.ended.removeFirst() }
    }
  }

  func isEnded(_ nonce: CallNonce, with party: CallParty) -> Bool {
    (pinned[party.keys] ?? strangers[party.keys])?.ended.contains(nonce) ?? false
  }

  /// A stranger became a pinned person.
  mutating func pin(_ keys: PublicKeys) {
    if let sender = strangers.remove(keys) { pinned.set(sender, for: keys) }
  }

  /// A link went down and is never heard again.
  mutating func linkDown(_ link: LinkID) { strangers.linkDown(link) }

  private mutating func update<Result>(
    _ party: CallParty, on link: LinkID, _ change: (inout Sender) -> Result
  ) -> Result {
    // Kept where it is until `pin` moves it, should the two disagree.
    let isPinned = party.isPinned || pinned[party.keys] != nil
    if isPinned { pin(party.keys) }
    var sender = (isPinned ? pinned[party.keys] : strangers[party.keys]) ?? Sender()
    defer {
      if isPinned {
        pinned.set(sender, for: party.keys)
      } else {
        strangers.set(sender, for: party.keys, on: link)
      }
    }
    return change(&sender)
  }
}

/// What is remembered of one sender.
private struct Sender: Sendable {
  /// The time of the newest signal.
  var newest: Timestamp?
  /// Oldest first.
  var ended: [CallNonce] = []
}

/// A bounded table from which the one heard least recently goes first.
private struct SenderTable: Sendable {
  private let capacity: Int
  private var senders: [PublicKeys: (sender: Sender, use: UInt64)] = [:]
  private var uses: UInt64 = 0

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { senders.count }

  subscript(keys: PublicKeys) -> Sender? { senders[keys]?.sender }

  mutating func set(_ sender: Sender, for keys: PublicKeys) {
    if senders.count >= capacity, senders[keys] == nil,
      let oldest = senders.min(by: { $0.value.use < $1.value.use })?.key
    {
      senders[oldest] = nil
    }
    uses &+= 1
    senders[keys] = (sender, uses)
  }
}
