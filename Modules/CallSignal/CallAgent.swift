internal import Seal
public import Wire

/// Where a frame came in.
public enum FrameSource: Hashable, Sendable {
  /// In a voice packet, on this link of the mesh.
  case link(LinkID)
  /// In a datagram.
  case direct
}

/// Both sides of calls: every rule of section 7 of the protocol, without I/O.
///
/// It is told of commands, signals, frames and the time, and collects what to do; whoever runs it
/// takes the effects after each call, in order, and wakes it at its `deadline`. Signals reach it
/// opened and verified, from senders who are not blocked and contradict no pin.
///
/// One call at a time. What is over lives on only as an ended nonce and, for a second, as the
/// repeats of its decline or end.
public struct CallAgent: Sendable {
  /// How far off our clock a signal may be.
  static let maximumOffset: Duration = .seconds(15 * 60)

  let own: Fingerprint
  var live: LiveCall?
  var memory = CallMemory()
  var farewells = Farewells()
  /// Declines that strangers can have of us: 16 at once, then 2 a second.
  var declinesToStrangers = TokenBucket(capacity: 16, perSecond: 2)
  /// The same to pinned people, who have it apart.
  var declinesToPinned = TokenBucket(capacity: 32, perSecond: 8)
  /// Rings of strangers, at 20 tokens each: 3 at once, then one in 20 s.
  ///
  /// Whoever ends a call and begins the next one rings anew, and could do so without an end.
  var ringsOfStrangers = TokenBucket(capacity: 60, perSecond: 1)
  /// Rings of pinned people, at 20 tokens each: 12 at once, then one in 4 s.
  var ringsOfPinned = TokenBucket(capacity: 240, perSecond: 5)
  static let ringCost = 20
  var effects: [CallEffect] = []
  var counters = CallCounters()

  /// The agent of the device with this fingerprint, with no call on.
  public init(ownFingerprint: Fingerprint) { own = ownFingerprint }

  /// What to do since this was last asked, in order.
  public mutating func takeEffects() -> [CallEffect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  /// The call that is on; nil while there is none.
  public var current: CallReport? {
    live.map { CallReport(state: $0.state, party: $0.party, nonce: $0.nonce) }
  }

  // MARK: Commands

  /// Calls somebody; answers them when it is they who ring.
  public mutating func call(
    _ party: CallParty, at now: Instant, using generator: inout some RandomNumberGenerator
  ) throws(CallRefusal) {
    wake(at: now)
    if let live {
      guard live.isRinging else { throw .busy }
      if live.party.keys == party.keys { return try answer(at: now) }
      // A stranger who only rings is in no call's way.
      guard !live.party.isPinned else { throw .busy }
      giveWay(at: now)
    }
    let pair = CallKeyPair(using: &generator)
    let nonce = CallNonce(random: generator.next())
    live = LiveCall(
      party, nonce, isCaller: true, began: now,
      .calling(pair, nextInvite: now + LiveCall.inviteInterval))
    effects.append(.offerDirect(nonce))
    report()
    effects.append(.send(.invite(nonce, pair.publicKey), to: party.keys))
  }

  /// A stranger's call that rings is missed for another one.
  mutating func giveWay(at now: Instant) {
    guard let call = live else { return }
    finish(.missed, at: now)
    bid(.decline(call.nonce), to: call.party, at: now)
  }

  /// Answers the call that rings; with a nonce, only if it is the call of that nonce.
  public mutating func answer(
    _ nonce: CallNonce? = nil, at now: Instant
  ) throws(CallRefusal) {
    wake(at: now)
    guard let live, live.isMeant(by: nonce), case .ringing(let invitation, _) = live.phase else {
      throw .noCall
    }
    connect(answering: invitation, at: now)
  }

  /// Declines the call that rings; with a nonce, only if it is the call of that nonce.
  public mutating func decline(
    _ nonce: CallNonce? = nil, at now: Instant
  ) throws(CallRefusal) {
    wake(at: now)
    guard let live, live.isMeant(by: nonce), live.isRinging else { throw .noCall }
    finish(.declinedHere, at: now)
    bid(.decline(live.nonce), to: live.party, at: now)
  }

  /// Ends the call, or declines the one that rings; with a nonce, only the call of that nonce.
  public mutating func hangUp(
    _ nonce: CallNonce? = nil, at now: Instant
  ) throws(CallRefusal) {
    wake(at: now)
    guard let live, live.isMeant(by: nonce) else { throw .noCall }
    guard !live.isRinging else {
      try decline(nonce, at: now)
      return
    }
    end(.hungUp, at: now)
  }

  /// Ends what there is, because it cannot go on here.
  public mutating func fail(at now: Instant) {
    guard live != nil else { return }
    end(.failed, at: now)
  }

  // MARK: What else becomes known

  /// A stranger became a pinned person.
  public mutating func pin(_ keys: PublicKeys) {
    memory.pin(keys)
    if live?.party.keys == keys { live?.party.isPinned = true }
  }

  /// Whether there is an address that frames of this call can be sent to directly.
  public mutating func directAddress(isKnown: Bool, at now: Instant) {
    live?.conversation?.roads.hasDirectAddress = isKnown
    noteCarrier(at: now)
  }

  /// A copy came in on this link of a frame that opened.
  public mutating func copyCame(on link: LinkID, at now: Instant) {
    live?.conversation?.roads.heard(on: link, at: now)
  }

  /// A link went down and is never heard again.
  public mutating func linkDown(_ link: LinkID) {
    live?.conversation?.roads.linkDown(link)
    memory.linkDown(link)
  }

  // MARK: Beginnings and ends

  mutating func report() {
    if let current { effects.append(.report(current)) }
  }

  /// Answers the call that is on, by an act of the user's or because it won over ours.
  mutating func connect(answering invitation: LiveCall.Invitation, at now: Instant) {
    guard let call = live else { return }
    live?.connect(Conversation(invitation.keys, at: now), answering: invitation)
    effects.append(.send(.answer(call.nonce, invitation.answerKey), to: call.party.keys))
    report()
    effects.append(.joinDirect(call.nonce))
  }

  /// The call that is on is over, and its nonce with it.
  mutating func finish(_ ending: Ending, at now: Instant) {
    guard let call = live else { return }
    memory.end(call.nonce, with: call.party)
    live = nil
    switch call.phase {
    case .calling, .connected: effects.append(.leaveDirect)
    case .ringing: break
    }
    effects.append(
      .report(CallReport(state: .ended(ending), party: call.party, nonce: call.nonce)))
  }

  /// The call that is on is over by our doing, and the other side is told.
  mutating func end(_ ending: Ending, at now: Instant) {
    guard let call = live else { return }
    finish(ending, at: now)
    bid(call.isRinging ? .decline(call.nonce) : .end(call.nonce), to: call.party, at: now)
  }

  /// Sends a decline or an end, the first of three times.
  mutating func bid(_ farewell: CallSignal, to party: CallParty, at now: Instant) {
    guard farewells.begin(farewell, to: party, at: now) else { return }
    effects.append(.send(farewell, to: party.keys))
  }
}
