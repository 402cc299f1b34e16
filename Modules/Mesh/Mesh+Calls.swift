public import CallSignal
internal import Identity
internal import Router
public import Wire

extension Mesh {
  /// The call that is on; nil while there is none.
  public var call: CallReport? { calls.current }

  // MARK: Commands

  /// Calls whoever has a number, or answers them when it is they who ring; the fingerprint decides
  /// where several keys claim it.
  ///
  /// An act of the user's own: it pins the keys. With no link at hand the call waits for one, for as
  /// long as it rings.
  public mutating func call(
    _ number: Number, fingerprint: Fingerprint? = nil, at moment: Moment
  ) throws(MeshRefusal) {
    guard !book.isBlocked(number) else { throw .blocked(number) }
    let keys = try undisputed(number, fingerprint)
    let pinning = ContactChange.pin(keys, name: name(of: keys))
    try checkRoom(for: pinning)
    let party = CallParty(
      keys: keys, fingerprint: cryptography.fingerprint(of: keys), isPinned: true)
    try perform(at: moment) { (calls, cryptography) throws(CallRefusal) in
      try calls.call(party, at: moment.instant, using: &cryptography)
    }
    try pin(pinning)
  }

  /// Answers the call that rings; with a nonce, only if it is the call of that nonce.
  ///
  /// It pins the caller's keys where it is the user's own act, `isOwnAct`; where a program answers
  /// whoever calls, it does not, or strangers would fill the contacts.
  public mutating func answerCall(
    _ nonce: CallNonce? = nil, isOwnAct: Bool = true, at moment: Moment
  ) throws(MeshRefusal) {
    guard let call = calls.current, call.state == .ringing else { throw .noCall }
    let pinning = ContactChange.pin(call.party.keys, name: name(of: call.party.keys))
    if isOwnAct { try checkRoom(for: pinning) }
    try perform(at: moment) { (calls, _) throws(CallRefusal) in
      try calls.answer(nonce, at: moment.instant)
    }
    if isOwnAct { try pin(pinning) }
  }

  /// Declines the call that rings; with a nonce, only if it is the call of that nonce.
  public mutating func declineCall(
    _ nonce: CallNonce? = nil, at moment: Moment
  ) throws(MeshRefusal) {
    try perform(at: moment) { (calls, _) throws(CallRefusal) in
      try calls.decline(nonce, at: moment.instant)
    }
  }

  /// Ends the call, or declines the one that rings; with a nonce, only the call of that nonce.
  public mutating func hangUp(
    _ nonce: CallNonce? = nil, at moment: Moment
  ) throws(MeshRefusal) {
    try perform(at: moment) { (calls, _) throws(CallRefusal) in
      try calls.hangUp(nonce, at: moment.instant)
    }
  }

  /// What is done about calls is carried out even where the command is refused: time passed.
  private mutating func perform(
    at moment: Moment,
    _ command: (inout CallAgent, inout Cryptography) throws(CallRefusal) -> Void
  ) throws(MeshRefusal) {
    var refusal: CallRefusal?
    do throws(CallRefusal) { try command(&calls, &cryptography) } catch { refusal = error }
    carryOutCalls(at: moment)
    switch refusal {
    case .busy?: throw .busy
    case .noCall?: throw .noCall
    case nil: break
    }
  }

  /// Ends the call, for it cannot go on here.
  public mutating func failCall(at moment: Moment) {
    calls.fail(at: moment.instant)
    carryOutCalls(at: moment)
  }

  /// Nobody whom the user has just blocked stays in a call with us.
  mutating func endCallWithBlocked(at moment: Moment) {
    guard let call = calls.current, book.isBlocked(call.party.fingerprint.number) else { return }
    try? hangUp(at: moment)
  }

  /// The user decided that a number belongs to other keys than those we are in a call with.
  mutating func endCall(with number: Number, unlessWith keys: PublicKeys, at moment: Moment) {
    guard let party = calls.current?.party, party.fingerprint.number == number, party.keys != keys
    else { return }
    failCall(at: moment)
  }

  // MARK: Sound

  /// Sends 20 ms of our sound, coded, down the roads of the call; nothing while nobody can speak.
  public mutating func speak(_ opus: [UInt8], at moment: Moment) {
    calls.send(opus, at: moment.instant)
    carryOutCalls(at: moment)
  }

  /// Takes in a datagram of the direct road.
  ///
  /// - Returns: what it says of where it came from.
  public mutating func receiveDirectly(
    _ datagram: RawSpan, at moment: Moment
  ) -> DirectEvidence {
    defer { carryOutCalls(at: moment) }
    switch calls.receive(datagram, from: .direct, at: moment.instant) {
    case .fresh(let sequence, let opus):
      effects.append(.play(sequence: sequence, opus: opus))
      return .proof
    case .slower: return .hint
    case .copy, .refused: return .none
    }
  }

  /// Whether there is an address that frames of this call can be sent to directly.
  public mutating func directAddress(isKnown: Bool, at moment: Moment) {
    calls.directAddress(isKnown: isKnown, at: moment.instant)
    carryOutCalls(at: moment)
  }

  mutating func takeVoice(
    _ packet: borrowing PacketView, from link: LinkID, at moment: Moment
  ) {
    counters.voiceFrames += 1
    switch calls.receive(packet.payload, from: .link(link), at: moment.instant) {
    case .fresh(let sequence, let opus):
      openedVoice.add(packet.header.id)
      effects.append(.play(sequence: sequence, opus: opus))
    case .copy, .slower: openedVoice.add(packet.header.id)
    case .refused: break
    }
    carryOutCalls(at: moment)
  }

  // MARK: Signals

  /// Takes in a signal from somebody who is not blocked and contradicts no pin.
  mutating func take(
    _ signal: CallSignal, from keys: PublicKeys, _ fingerprint: Fingerprint, isPinned: Bool,
    time: Timestamp, on link: LinkID, at moment: Moment
  ) {
    // Whoever rings can be answered, and so pinned, by name.
    if case .invite = signal { notePerson(keys, fingerprint, from: link) }
    let party = CallParty(keys: keys, fingerprint: fingerprint, isPinned: isPinned)
    calls.receive(
      signal, from: party, on: link, time: time, at: moment.instant,
      wallClock: moment.wallClock, using: &cryptography)
    carryOutCalls(at: moment)
  }

  /// Does what the calls want.
  mutating func carryOutCalls(at moment: Moment) {
    for effect in calls.takeEffects() {
      switch effect {
      case .send(let signal, let keys): send(signal, to: keys, at: moment)
      case .report(let report): effects.append(.call(report))
      case .quiet(let party): effects.append(.warning(.callQuiet(party.fingerprint)))
      case .offerDirect(let nonce): effects.append(.offerDirectRoad(nonce))
      case .joinDirect(let nonce): effects.append(.joinDirectRoad(nonce))
      case .leaveDirect: effects.append(.leaveDirectRoad)
      case .transmit(let transmission): transmit(transmission, at: moment)
      }
    }
  }

  /// Never queued: with no link at hand the signal is lost, and would mean nothing later.
  private mutating func send(_ signal: CallSignal, to keys: PublicKeys, at moment: Moment) {
    guard !links.isEmpty else { return }
    let packetID = cryptography.randomPacketID()
    guard
      let packet = sealed(
        .callSignal(signal), messageID: MessageID(packetID), packetID: packetID, to: keys,
        time: sendingClock.next(moment.wallClock))
    else { return }
    router.noteOwn(packet, now: moment.instant)
    counters.callSignalsSent += 1
    effects.append(.send(packet, on: links.ids))
  }

  /// Directly first: it is the better road when both are as quick.
  private mutating func transmit(_ transmission: CallTransmission, at moment: Moment) {
    if transmission.isDirect { effects.append(.sendDirectly(transmission.frame)) }
    let roads: [LinkID]
    switch transmission.mesh {
    case .none: return
    case .everyLink: roads = links.ids
    case .links(let known): roads = known
    }
    guard !roads.isEmpty else { return }
    let packet = Packet(
      kind: .voice, hopLimit: PacketKind.voice.maximumHopLimit, time: moment.wallClock,
      id: cryptography.randomPacketID(), destination: transmission.to, payload: transmission.frame)
    effects.append(.send(packet, on: roads))
  }
}
