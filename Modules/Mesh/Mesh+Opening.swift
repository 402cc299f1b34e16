internal import Identity
internal import Outbox
internal import Router
internal import Wire

extension Mesh {
  /// Whether sealed packets wait to be opened.
  public var hasWork: Bool { !toOpen.isEmpty }

  /// How many of them wait.
  public var workCount: Int { toOpen.count }

  /// Opens one packet of the link whose turn it is.
  public mutating func work(at moment: Moment) {
    guard let (packet, link) = toOpen.next() else { return }
    let header = packet.header
    guard
      let message = cryptography.open(
        packet.view.payload, packetID: header.id, time: header.time)
    else {
      counters.unopenable += 1
      return
    }
    counters.opened += 1
    guard message.sender != ownKeys else {
      counters.fromOurselves += 1
      return
    }
    take(message, header, from: link, at: moment)
  }

  private mutating func take(
    _ message: OpenedMessage, _ header: PacketHeader, from link: LinkID, at moment: Moment
  ) {
    let fingerprint = fingerprint(of: message.sender)
    let isBlocked = book.isBlocked(fingerprint.number)
    let standing = standing(of: message.sender)
    if case .contradicts(let kept) = standing {
      counters.fromContradicting += 1
      if isBlocked { return }
      notePerson(message.sender, fingerprint, from: link)
      noteConflict(message.sender, fingerprint, with: kept)
      return
    }
    // From the blocked as well: that a message of ours arrived shows nothing of theirs.
    if case .receipt(let id) = message.content {
      takeReceipt(for: id, from: message.sender, at: moment)
      return
    }
    guard !isBlocked else {
      counters.fromBlocked += 1
      return
    }
    switch message.content {
    case .text(let text):
      let record = ReceivedRecord(
        sender: message.sender, messageID: message.messageID, time: header.time)
      take(
        text, record, fingerprint, packet: header, isPinned: standing == .pinned, from: link,
        at: moment)
    case .callSignal(let signal):
      counters.callSignals += 1
      take(
        signal, from: message.sender, fingerprint, isPinned: standing == .pinned,
        time: header.time, on: link, at: moment)
    case .receipt: break
    }
  }

  private mutating func take(
    _ text: String, _ record: ReceivedRecord, _ fingerprint: Fingerprint, packet: PacketHeader,
    isPinned: Bool, from link: LinkID, at moment: Moment
  ) {
    let verdict = received.judge(
      record, packet: packet.id, isPinned: isPinned, link: link, now: moment.instant)
    switch verdict {
    case .refused:
      counters.tooOldToTell += 1
      return
    case .repeated(let answer):
      counters.repeated += 1
      guard answer, policy.answersRepeats else { return }
    case .new:
      received.record(
        record, packet: packet.id, isPinned: isPinned, link: link, now: moment.instant)
      notePerson(record.sender, fingerprint, from: link)
      effects.append(
        .show(
          ReceivedText(
            id: record.messageID, sender: record.sender, fingerprint: fingerprint,
            name: name(of: record.sender), text: text, time: record.time)))
      if isPinned { effects.append(.remember(record)) }
    }
    sendReceipt(for: record.messageID, to: record.sender, of: packet, from: link, at: moment)
  }

  /// Answers a message that came in on `link`.
  ///
  /// On every link, at the cost of a token of that one's share, for the neighbours have to pass a
  /// receipt on; past the share, on that link alone. Messages for us cost no token, and a flood of
  /// them would otherwise be turned into a flood of receipts which uses up what the neighbours let
  /// pass of ours.
  private mutating func sendReceipt(
    for id: MessageID, to keys: PublicKeys, of packet: PacketHeader, from link: LinkID,
    at moment: Moment
  ) {
    // Never queued: with no link at hand the sender asks again by sending again.
    let isWithinShare = router.takeShare(of: link, now: moment.instant)
    let roads = isWithinShare ? links.ids : links.ids.filter { $0 == link }
    guard !roads.isEmpty else { return }
    let packetID = cryptography.randomPacketID()
    guard
      let receipt = sealed(
        .receipt(id), messageID: MessageID(packetID), packetID: packetID, to: keys,
        time: moment.wallClock, atLeastHops: hops(back: packet))
    else { return }
    router.noteOwn(receipt, now: moment.instant)
    counters.receiptsSent += 1
    effects.append(.send(receipt, on: roads))
  }

  /// The hops that what came as `packet` may have made: nobody but its origin knows how many it set
  /// out with, so the most that relays let it have are taken.
  private func hops(back packet: PacketHeader) -> UInt8 {
    guard policy.receiptsGoAsFar, packet.hopLimit <= maximumRelayHops else { return 1 }
    return maximumRelayHops - packet.hopLimit + 1
  }

  private mutating func takeReceipt(for id: MessageID, from keys: PublicKeys, at moment: Moment) {
    let outcome = outbox.receipt(for: id, from: keys)
    guard !outcome.isEmpty else {
      counters.strangeReceipts += 1
      return
    }
    carryOut(outcome, at: moment)
  }
}
