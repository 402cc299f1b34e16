internal import Seal
public import Wire

extension CallAgent {
  /// Takes in a signal that opened, from the keys that sealed it, in a packet of this time that came
  /// in on `link`.
  public mutating func receive(
    _ signal: CallSignal, from party: CallParty, on link: LinkID, time: Timestamp, at now: Instant,
    wallClock: Timestamp, using generator: inout some RandomNumberGenerator
  ) {
    // After a suspend a signal may be taken in before the timer says that a call is long over.
    wake(at: now)
    let offset = time.since(wallClock)
    guard offset <= Self.maximumOffset, offset >= .zero - Self.maximumOffset else {
      counters.farOffSignals += 1
      return
    }
    counters.signals += 1
    let isNewest = memory.note(party, time: time, on: link, wallClock: wallClock)
    let isLive = live?.isIt(signal.nonce, with: party.keys) ?? false
    switch signal {
    case .invite(let nonce, let key):
      if isLive {
        takeRepeatedInvite(key, at: now)
      } else {
        takeInvite(
          nonce, key, from: party, isNewest: isNewest, at: now, using: &generator)
      }
    case .answer(_, let key):
      guard isLive else { return ignore() }
      takeAnswer(key, at: now)
    case .decline:
      guard isLive else { return ignore() }
      takeDecline(at: now)
    case .end(let nonce):
      if isLive { takeEnd(at: now) } else { memory.end(nonce, with: party, on: link) }
    case .deaf:
      guard isLive, live?.isConnected == true else { return ignore() }
      // No sign of life: whoever is deaf may be so for ever.
      live?.conversation?.roads.heardDeaf(time, at: now)
    }
  }

  private mutating func ignore() { counters.ignoredSignals += 1 }

  // MARK: Invites

  /// An invite of the nonce that is on, from the other side.
  private mutating func takeRepeatedInvite(_ key: AgreementPublicKey, at now: Instant) {
    guard let call = live else { return }
    switch call.phase {
    case .ringing(let invitation, _) where invitation.callerKey == key:
      live?.wasInvited(at: now)
    case .connected(let invitation?) where invitation.callerKey == key:
      live?.conversation?.signalHeard(at: now)
      // The answer may have been lost.
      if live?.takeRepeat(at: now) == true {
        effects.append(.send(.answer(call.nonce, invitation.answerKey), to: call.party.keys))
      }
    case .ringing, .connected, .calling: ignore()
    }
  }

  private mutating func takeInvite(
    _ nonce: CallNonce, _ key: AgreementPublicKey, from party: CallParty, isNewest: Bool,
    at now: Instant, using generator: inout some RandomNumberGenerator
  ) {
    if let live, live.hasBeaten(nonce, of: party.keys) { return ignore() }
    guard !memory.isEnded(nonce, with: party) else { return refuse(nonce, party, at: now) }
    guard isNewest else { return ignore() }
    guard let call = live else {
      ring(nonce, key, from: party, at: now, using: &generator)
      return
    }
    switch call.phase {
    case .calling where call.party.keys == party.keys:
      meet(nonce, key, from: party, at: now, using: &generator)
    case .ringing where party.isPinned && !call.party.isPinned:
      giveWay(at: now)
      ring(nonce, key, from: party, at: now, using: &generator)
    case .calling, .ringing, .connected:
      memory.end(nonce, with: party)
      refuse(nonce, party, at: now)
    }
  }

  /// Both called each other at once: the lower fingerprint's call goes on.
  private mutating func meet(
    _ nonce: CallNonce, _ key: AgreementPublicKey, from party: CallParty, at now: Instant,
    using generator: inout some RandomNumberGenerator
  ) {
    guard let ours = live else { return }
    if own < party.fingerprint {
      memory.end(nonce, with: party)
      live?.beat(nonce)
      return
    }
    guard
      let invitation = LiveCall.Invitation(
        from: party, nonce, key, to: own, using: &generator)
    else { return ignore() }
    memory.end(ours.nonce, with: party)
    effects.append(.leaveDirect)
    live = LiveCall(
      party, nonce, isCaller: false, began: now, .ringing(invitation, lastInvite: now))
    connect(answering: invitation, at: now)
  }

  private mutating func ring(
    _ nonce: CallNonce, _ key: AgreementPublicKey, from party: CallParty, at now: Instant,
    using generator: inout some RandomNumberGenerator
  ) {
    guard
      let invitation = LiveCall.Invitation(
        from: party, nonce, key, to: own, using: &generator)
    else { return ignore() }
    let mayRing =
      party.isPinned
      ? ringsOfPinned.take(Self.ringCost, at: now) : ringsOfStrangers.take(Self.ringCost, at: now)
    guard mayRing else {
      memory.end(nonce, with: party)
      return refuse(nonce, party, at: now)
    }
    live = LiveCall(
      party, nonce, isCaller: false, began: now, .ringing(invitation, lastInvite: now))
    report()
  }

  /// Declines an invite that did not ring.
  private mutating func refuse(_ nonce: CallNonce, _ party: CallParty, at now: Instant) {
    let mayHear =
      party.isPinned ? declinesToPinned.take(at: now) : declinesToStrangers.take(at: now)
    guard mayHear else { return ignore() }
    bid(.decline(nonce), to: party, at: now)
  }

  // MARK: The others

  private mutating func takeAnswer(_ key: AgreementPublicKey, at now: Instant) {
    guard let call = live, call.isCaller else { return ignore() }
    switch call.phase {
    case .calling(let pair, _):
      let binding = CallBinding(
        nonce: call.nonce, caller: own, callee: call.party.fingerprint, callerKey: pair.publicKey,
        calleeKey: key)
      guard let keys = CallKeys(own: pair, other: key, isCaller: true, binding) else {
        return ignore()
      }
      live?.connect(Conversation(keys, at: now), answering: nil)
      report()
    // It counts once; that it was said again shows that the other side is there.
    case .connected: live?.conversation?.signalHeard(at: now)
    case .ringing: ignore()
    }
  }

  private mutating func takeDecline(at now: Instant) {
    guard let call = live, call.isCaller else { return ignore() }
    finish(call.isConnected ? .remoteEnded : .declined, at: now)
  }

  private mutating func takeEnd(at now: Instant) {
    guard let call = live else { return }
    finish(call.isRinging ? .missed : .remoteEnded, at: now)
  }
}
