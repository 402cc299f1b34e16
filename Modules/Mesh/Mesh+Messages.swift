internal import Identity
internal import Outbox
internal import Router
public import Wire

extension Mesh {
  /// Sends a text to whoever has a number; the fingerprint decides where several keys claim it.
  ///
  /// It pins the keys where it is the user's own act, `isOwnAct`; not where a program answers
  /// whoever writes. The message is then `waiting`, or `sent` when a link is up.
  ///
  /// - Returns: the message's id, under which its states are told.
  public mutating func send(
    _ text: String, to number: Number, fingerprint: Fingerprint? = nil, isOwnAct: Bool = true,
    at moment: Moment
  ) throws(MeshRefusal) -> MessageID {
    let size = text.utf8.count
    guard size > 0 else { throw .empty }
    guard size <= MessageContent.maximumTextLength else {
      throw .tooLong(bytes: size, limit: MessageContent.maximumTextLength)
    }
    guard !book.isBlocked(number) else { throw .blocked(number) }
    let keys = try undisputed(number, fingerprint)
    let pinning = ContactChange.pin(keys, name: name(of: keys))
    if isOwnAct { try checkRoom(for: pinning) }

    let id = MessageID(cryptography.randomPacketID())
    guard
      let packet = sealed(
        .text(text), messageID: id, packetID: PacketID(id), to: keys, time: moment.wallClock)
    else { throw .unusableKeys(number) }
    let outcome: [OutboxEffect]
    do throws(OutboxError) {
      outcome = try outbox.add(
        packet, to: keys, size: size, now: moment.instant, wallClock: moment.wallClock)
    } catch {
      throw outboxRefusal(error)
    }
    if isOwnAct { try pin(pinning) }
    ownTexts.add(text, id)
    router.noteOwn(packet, now: moment.instant)
    carryOut(outcome, at: moment)
    return id
  }

  /// Whether the contacts have room, so that nothing is sent to whom they have none for.
  func checkRoom(for change: ContactChange) throws(MeshRefusal) {
    var book = book
    do { try book.apply(change) } catch { throw .contactsFull }
  }

  private func outboxRefusal(_ error: OutboxError) -> MeshRefusal {
    let held = outbox.messages.count
    return switch error {
    case .fullOfMessages(let limit): .outboxFull(messages: held, limit: limit)
    // Full of bytes: more of this length than it holds already do not fit.
    case .fullOfBytes, .alreadyHeld, .tooOld: .outboxFull(messages: held, limit: held)
    }
  }

  /// A link's queue was full and shed a packet that `send` asked for: a text of our own is offered
  /// to it again.
  public mutating func wasShed(_ packet: Packet, on link: LinkID, at moment: Moment) {
    guard packet.header.kind == .sealed, let id = ownTexts.message(in: packet.header.id) else {
      return
    }
    outbox.packetWasShed(id, on: link, now: moment.instant, wallClock: moment.wallClock)
  }

  /// Gives up what still waits, before the node ends; each is told as failed.
  public mutating func stop(at moment: Moment) {
    carryOut(outbox.stop(), at: moment)
    failCall(at: moment)
  }

  /// How many messages of our own wait for their receipt.
  public var waitingMessages: Int { outbox.messages.count }

  /// How far what starts here may go.
  var ownHopLimit: UInt8 { policy.hopLimits.hopLimit(directDevices: links.claimCount) }

  /// A packet of ours with `content` sealed to `recipient`; nil when nothing can be sealed to them.
  mutating func sealed(
    _ content: MessageContent, messageID: MessageID, packetID: PacketID, to recipient: PublicKeys,
    time: Timestamp, atLeastHops: UInt8 = 1
  ) -> Packet? {
    let payload = cryptography.seal(
      content, messageID: messageID, to: recipient, packetID: packetID, time: time)
    return payload.map {
      Packet(
        kind: .sealed, hopLimit: max(ownHopLimit, atLeastHops), time: time, id: packetID,
        destination: fingerprint(of: recipient), payload: $0)
    }
  }

  // MARK: The outbox

  /// Does what the outbox wants.
  mutating func carryOut(_ outcome: [OutboxEffect], at moment: Moment) {
    for effect in outcome {
      switch effect {
      case .send(let id):
        if let packet = outbox.packet(of: id) { effects.append(.send(packet, on: links.ids)) }
      case .sendFresh(let id): sendFresh(id, at: moment)
      case .offer(let id, let link):
        guard let packet = outbox.packet(of: id) else { continue }
        effects.append(.send(Packet(packet, hopLimit: ownHopLimit), on: [link]))
      case .stateChanged(let id, let state):
        switch state {
        case .delivered, .failed: ownTexts.remove(id)
        case .waiting, .sent: break
        }
        effects.append(.state(id, state))
      case .ageLimitReached(let id): effects.append(.warning(.ageLimit(id)))
      }
    }
  }

  private mutating func sendFresh(_ id: MessageID, at moment: Moment) {
    let packetID = cryptography.randomPacketID()
    guard let text = ownTexts[id], let recipient = outbox.recipient(of: id),
      let time = outbox.packet(of: id)?.header.time,
      let packet = sealed(
        .text(text), messageID: id, packetID: packetID, to: recipient, time: time)
    else { return }
    router.noteOwn(packet, now: moment.instant)
    outbox.replacePacket(of: id, with: packet)
    ownTexts.resealed(id, as: packetID)
    effects.append(.send(packet, on: links.ids))
  }
}
