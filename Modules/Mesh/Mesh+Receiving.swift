internal import Identity
internal import Outbox
internal import Router
public import Wire

extension Mesh {
  /// Takes one whole packet that came in on `link`.
  public mutating func receive(
    _ packet: borrowing PacketView, from link: LinkID, at moment: Moment
  ) {
    guard links[link] != nil else { return }
    var heard: Hello?
    let cryptography = self.cryptography
    let decision = router.receive(
      packet, from: link, now: moment.instant, wallClock: moment.wallClock
    ) { packet in
      heard = Self.authenticHello(in: packet, cryptography)
      return heard != nil
    }
    switch decision {
    case .accept(let deliver, let relayHopLimit):
      if let relayHopLimit { relay(packet, hopLimit: relayHopLimit, from: link) }
      guard deliver else { return }
      switch packet.header.kind {
      case .hello:
        if let heard { hear(heard, header: packet.header, from: link, at: moment) }
      case .sealed: enqueue(packet, from: link)
      case .voice: counters.voiceFrames += 1
      case .unknown: break
      }
    case .duplicate(let copy):
      if let hopLimit = copy.relayHopLimit { relay(packet, hopLimit: hopLimit, from: link) }
      if copy.isHelloAtFullHops { noteCopy(of: packet, from: link, at: moment) }
    case .drop(let reason):
      judge(reason, packet, from: link, at: moment)
    }
  }

  private static func authenticHello(
    in packet: borrowing PacketView, _ cryptography: Cryptography
  ) -> Hello? {
    guard let hello = try? Hello(payload: packet.payload),
      cryptography.isAuthentic(hello, id: packet.header.id, time: packet.header.time)
    else { return nil }
    return hello
  }

  private mutating func relay(_ packet: borrowing PacketView, hopLimit: UInt8, from link: LinkID) {
    let others = linksUp.filter { $0 != link }
    guard !others.isEmpty else { return }
    effects.append(.send(Packet(Packet(copying: packet), hopLimit: hopLimit), on: others))
  }

  /// What a drop says of the link it came in on.
  private mutating func judge(
    _ reason: Router.DropReason, _ packet: borrowing PacketView, from link: LinkID,
    at moment: Moment
  ) {
    switch reason {
    case .badLength, .hopLimitOverKind, .helloToOne, .voiceToEveryone, .badSignature:
      // No honest relay lets these pass: they are the neighbour's own doing.
      if reason == .badSignature { counters.badHellos += 1 }
      if links[link]?.refusals.note(at: moment.instant) == true {
        effects.append(.close(link, because: .misbehaved))
      }
    case .tooOld, .tooFarAhead:
      guard packet.header.kind == .hello, packet.refusal == nil,
        clockChecks.take(at: moment.instant),
        let hello = Self.authenticHello(in: packet, cryptography), hello.keys != ownKeys
      else { return }
      suspectClock(hello.keys, time: packet.header.time, at: moment)
    case .otherVersion, .unknownKind, .voiceForAnother, .overShare, .overHelloShare,
      .overVoiceShare, .unknownLink:
      break
    }
  }

  // MARK: Opening, from the links in turn

  private mutating func enqueue(_ packet: borrowing PacketView, from link: LinkID) {
    guard let waiting = links[link]?.openQueue.count else { return }
    guard waiting < MeshLink.maximumOpenQueue else {
      counters.unopened += 1
      // A copy that comes by another link has to be taken for new.
      router.forget(packet)
      return
    }
    links[link]?.openQueue.append(Packet(copying: packet))
  }

  /// Whether sealed packets wait to be opened.
  public var hasWork: Bool { links.values.contains { !$0.openQueue.isEmpty } }

  /// Opens one packet of the link whose turn it is.
  ///
  /// Opening is the dear part of receiving, and a flood for us costs its link no token: so no link
  /// is served twice while another one waits.
  public mutating func work(at moment: Moment) {
    let waiting = links.filter { !$0.value.openQueue.isEmpty }.keys
    let first = nextToOpen ?? LinkID(0)
    let next = waiting.filter { $0 >= first }.min() ?? waiting.min()
    guard let link = next, let packet = links[link]?.openQueue.removeFirst() else { return }
    nextToOpen = LinkID(link.rawValue &+ 1)
    open(packet, from: link, at: moment)
  }

  private mutating func open(_ packet: Packet, from link: LinkID, at moment: Moment) {
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
    let fingerprint = cryptography.fingerprint(of: message.sender)
    guard !book.isBlocked(fingerprint.number) else {
      counters.fromBlocked += 1
      return
    }
    let standing = book.standing(of: message.sender)
    if case .contradicts = standing {
      counters.fromContradicting += 1
      notePerson(message.sender, fingerprint, from: link)
      noteConflict(message.sender)
      return
    }
    switch message.content {
    case .text(let text):
      take(
        text, of: message, fingerprint: fingerprint, header: header,
        isPinned: standing == .pinned, from: link, at: moment)
    case .receipt(let id): takeReceipt(for: id, from: message.sender, at: moment)
    case .callSignal: counters.callSignals += 1
    }
  }

  private mutating func take(
    _ text: String, of message: OpenedMessage, fingerprint: Fingerprint, header: PacketHeader,
    isPinned: Bool, from link: LinkID, at moment: Moment
  ) {
    let record = ReceivedRecord(
      sender: message.sender, messageID: message.messageID, time: header.time)
    let verdict = received.judge(
      record, packetID: header.id, isPinned: isPinned, link: link, now: moment.instant)
    switch verdict {
    case .refused:
      counters.tooOldToTell += 1
      return
    case .repeated(let answer):
      counters.repeated += 1
      guard answer else { return }
    case .new:
      received.record(
        record, packetID: header.id, isPinned: isPinned, link: link, now: moment.instant)
      notePerson(message.sender, fingerprint, from: link)
      effects.append(
        .show(
          ReceivedText(
            id: message.messageID, sender: message.sender, fingerprint: fingerprint,
            name: name(of: message.sender), text: text, time: header.time)))
      if isPinned { effects.append(.remember(record)) }
    }
    sendReceipt(for: message.messageID, to: message.sender, at: moment)
  }

  private mutating func sendReceipt(
    for id: MessageID, to keys: PublicKeys, at moment: Moment
  ) {
    // Never queued: with no link at hand the sender asks again by sending again.
    guard !links.isEmpty,
      let packet = sealed(
        .receipt(id), messageID: nil, to: keys, time: moment.wallClock, at: moment)
    else { return }
    counters.receiptsSent += 1
    effects.append(.send(packet, on: linksUp))
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
