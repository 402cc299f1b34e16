internal import Identity
internal import Wire

/// A message that was shown.
struct ShownMessage: Sendable {
  /// Packet ids under which it was opened that are remembered beside the first.
  static let maximumFurtherPackets = 7
  /// The least time between two receipts for it.
  static let receiptInterval: Duration = .seconds(1)

  let time: Timestamp
  let shownAt: Instant
  private var lastReceiptAt: Instant
  private let firstPacket: PacketID
  private var furtherPackets: [PacketID] = []

  init(time: Timestamp, packet: PacketID, now: Instant) {
    self.time = time
    shownAt = now
    lastReceiptAt = now
    firstPacket = packet
  }

  /// One that the disk remembers: its first packet is the one that had the message's own id.
  init(restored record: ReceivedRecord, now: Instant) {
    time = record.time
    shownAt = now
    lastReceiptAt = now - Self.receiptInterval
    firstPacket = PacketID(record.messageID)
  }

  /// Whether a packet that may not live any longer is all that could bring it again.
  func isPast(_ now: Instant) -> Bool { now - shownAt > ReceivedMessages.lifetime }

  /// Takes in that it came again, and tells whether that asks for a receipt.
  ///
  /// A packet opened before does not: it is a copy, or a recording, and no sign that the sender
  /// waits.
  mutating func comesAgain(in packet: PacketID, now: Instant, _ receipts: inout TokenBucket) -> Bool
  {
    guard packet != firstPacket, !furtherPackets.contains(packet) else { return false }
    if furtherPackets.count >= Self.maximumFurtherPackets { furtherPackets.removeFirst() }
    furtherPackets.append(packet)
    guard now - lastReceiptAt >= Self.receiptInterval, receipts.take(at: now) else { return false }
    lastReceiptAt = now
    return true
  }
}

/// The messages that one pinned person sent us, the newest `capacity` of them.
///
/// When it is full the one of the oldest time goes, and from then on unknown messages that are not
/// newer than it are refused: nobody could tell whether they were shown.
struct MessageHistory: Sendable {
  static let capacity = 4_096

  private var messages: [MessageID: ShownMessage] = [:]
  /// By time, the oldest at `first`.
  private var order: [(time: Timestamp, id: MessageID)] = []
  private var first = 0
  /// The newest time of what had to go.
  private var floor: Timestamp?
  private var receipts = ReceivedMessages.newReceiptBucket

  var count: Int { messages.count }

  mutating func judge(_ record: ReceivedRecord, packet: PacketID, now: Instant)
    -> ReceivedMessages.Verdict
  {
    _ = expire(now)
    if let answer = messages[record.messageID]?.comesAgain(in: packet, now: now, &receipts) {
      return .repeated(answer: answer)
    }
    if let floor, record.time <= floor { return .refused }
    return .new
  }

  mutating func insert(_ message: ShownMessage, _ id: MessageID) {
    guard messages.updateValue(message, forKey: id) == nil else { return }
    var place = order.count
    while place > first, order[place - 1].time > message.time { place -= 1 }
    order.insert((message.time, id), at: place)
    if messages.count > Self.capacity, let gone = removeOldest() {
      floor = max(floor ?? .zero, gone)
    }
  }

  /// Lets go of what no packet can bring again.
  ///
  /// - Returns: whether nothing is left.
  mutating func expire(_ now: Instant) -> Bool {
    while first < order.count, messages[order[first].id]?.isPast(now) != false {
      _ = removeOldest()
    }
    return messages.isEmpty
  }

  /// - Returns: the time of what was removed.
  private mutating func removeOldest() -> Timestamp? {
    guard first < order.count else { return nil }
    let oldest = order[first]
    messages[oldest.id] = nil
    first += 1
    if first > Self.capacity || first == order.count {
      order.removeFirst(first)
      first = 0
    }
    return oldest.time
  }
}
