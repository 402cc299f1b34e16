internal import Identity
internal import Outbox
internal import Router
public import Wire

extension Mesh {
  /// Sends a text to whoever has a number; the fingerprint decides where several keys claim it.
  ///
  /// An act of the user's own: it pins the keys. The message is then `waiting`, or `sent` when a
  /// link is up.
  ///
  /// - Returns: the message's id, under which its states are told.
  public mutating func send(
    _ text: String, to number: Number, fingerprint: Fingerprint? = nil, at moment: Moment
  ) throws(MeshRefusal) -> MessageID {
    let size = text.utf8.count
    guard size > 0 else { throw .empty }
    guard size <= MessageContent.maximumTextLength else {
      throw .tooLong(bytes: size, limit: MessageContent.maximumTextLength)
    }
    guard !book.isBlocked(number) else { throw .blocked(number) }
    let keys = try resolve(number, fingerprint)
    guard conflicts[number] == nil else { throw .keysChanged(number) }
    if case .contradicts = book.standing(of: keys) { throw .keysChanged(number) }

    let id = MessageID(cryptography.randomPacketID())
    guard
      let packet = sealed(
        .text(text), messageID: id, to: keys, time: moment.wallClock, at: moment)
    else { throw .unusableKeys(number) }
    let outcome: [OutboxEffect]
    do throws(OutboxError) {
      outcome = try outbox.add(
        packet, to: keys, size: size, now: moment.instant, wallClock: moment.wallClock)
    } catch {
      throw .outboxFull(messages: outbox.messages.count, limit: OutboxLimits.standard.messages)
    }
    try pin(.pin(keys, name: name(of: keys)))
    texts[id] = text
    router.noteOwn(packet, now: moment.instant)
    carryOut(outcome, at: moment)
    return id
  }

  /// A link's queue was full and shed a packet that `send` asked for: a text of our own is offered
  /// to it again.
  public mutating func wasShed(_ packet: Packet, on link: LinkID, at moment: Moment) {
    guard packet.header.kind == .sealed,
      let id = outbox.messages.first(where: {
        outbox.packet(of: $0)?.header.id == packet.header.id
      })
    else { return }
    outbox.packetWasShed(id, on: link, now: moment.instant, wallClock: moment.wallClock)
  }

  /// Gives up what still waits, before the node ends; each is told as failed.
  public mutating func stop(at moment: Moment) { carryOut(outbox.stop(), at: moment) }

  /// How many messages of our own wait for their receipt.
  public var waitingMessages: Int { outbox.messages.count }

  /// A packet of ours with `content` sealed to `recipient`.
  ///
  /// With a message id its packet is the first, and has that id; without one the content, a receipt
  /// or a signal, gets a fresh one. Nil when nothing can be sealed to these keys.
  mutating func sealed(
    _ content: MessageContent, messageID: MessageID?, packetID: PacketID? = nil,
    to recipient: PublicKeys, time: Timestamp, at moment: Moment
  ) -> Packet? {
    let id = packetID ?? messageID.map { PacketID($0) } ?? cryptography.randomPacketID()
    guard
      let payload = cryptography.seal(
        content, messageID: messageID ?? MessageID(id), to: recipient, packetID: id, time: time)
    else { return nil }
    let packet = Packet(
      kind: .sealed, hopLimit: Router.hopLimit(directDevices: directDevices), time: time, id: id,
      destination: cryptography.fingerprint(of: recipient), payload: payload)
    if messageID == nil || packetID != nil { router.noteOwn(packet, now: moment.instant) }
    return packet
  }

  /// Does what the outbox wants.
  mutating func carryOut(_ outcome: [OutboxEffect], at moment: Moment) {
    for effect in outcome {
      switch effect {
      case .send(let id):
        if let packet = outbox.packet(of: id) { effects.append(.send(packet, on: linksUp)) }
      case .sendFresh(let id): sendFresh(id, at: moment)
      case .offer(let id, let link):
        guard let packet = outbox.packet(of: id) else { continue }
        let hopLimit = Router.hopLimit(directDevices: directDevices)
        effects.append(.send(Packet(packet, hopLimit: hopLimit), on: [link]))
      case .stateChanged(let id, let state):
        switch state {
        case .delivered, .failed: texts[id] = nil
        case .waiting, .sent: break
        }
        effects.append(.state(id, state))
      case .ageLimitReached(let id): effects.append(.warning(.ageLimit(id)))
      }
    }
  }

  private mutating func sendFresh(_ id: MessageID, at moment: Moment) {
    guard let text = texts[id], let recipient = outbox.recipient(of: id),
      let time = outbox.packet(of: id)?.header.time,
      let packet = sealed(
        .text(text), messageID: id, packetID: cryptography.randomPacketID(), to: recipient,
        time: time, at: moment)
    else { return }
    outbox.replacePacket(of: id, with: packet)
    effects.append(.send(packet, on: linksUp))
  }
}
