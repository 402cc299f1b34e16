internal import CallSignal
internal import Identity
internal import Router
public import Wire

extension Mesh {
  /// Takes one whole packet that came in on `link`.
  public mutating func receive(
    _ packet: borrowing PacketView, from link: LinkID, at moment: Moment
  ) {
    guard let index = links.index(of: link), links[index].fault != .misbehaved else { return }
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
      if let relayHopLimit { relay(packet, hopLimit: relayHopLimit, from: link, at: moment) }
      guard deliver else { return }
      switch packet.header.kind {
      case .hello:
        if let heard { hear(heard, header: packet.header, from: link, at: moment) }
      case .sealed: enqueue(packet, from: link)
      case .voice: takeVoice(packet, from: link, at: moment)
      case .unknown: break
      }
    case .duplicate(let copy):
      if let hopLimit = copy.relayHopLimit {
        relay(packet, hopLimit: hopLimit, from: link, at: moment)
      } else {
        waitingRelays.noteCopy(packet.header, from: link, limit: maximumRelayHops)
      }
      if copy.isHelloAtFullHops { noteCopy(of: packet, from: link, at: moment) }
      if copy.isVoice, openedVoice.contains(packet.header.id) {
        calls.copyCame(on: link, at: moment.instant)
      }
    case .drop(let reason):
      judge(reason, packet, from: link, at: moment)
    }
  }

  static func authenticHello(
    in packet: borrowing PacketView, _ cryptography: Cryptography
  ) -> Hello? {
    guard let hello = try? Hello(payload: packet.payload),
      cryptography.isAuthentic(hello, id: packet.header.id, time: packet.header.time)
    else { return nil }
    return hello
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
      if let index = links.index(of: link), links[index].refusals.note(at: moment.instant) {
        close(link, because: .misbehaved)
      }
    case .tooOld, .tooFarAhead: judgeClock(by: packet, from: link, at: moment)
    case .otherVersion, .unknownKind, .voiceForAnother, .overShare, .overRelayShare,
      .overHelloShare, .overVoiceShare, .unknownLink:
      break
    }
  }

  private mutating func enqueue(_ packet: borrowing PacketView, from link: LinkID) {
    guard !toOpen.isFull(link) else {
      shed(packet)
      return
    }
    for packet in toOpen.append(Packet(copying: packet), from: link) { shed(packet.view) }
  }

  /// Gives up a packet for us unopened; a copy that comes by another link is taken for new.
  mutating func shed(_ packet: borrowing PacketView) {
    counters.unopened += 1
    router.forget(packet)
  }
}
