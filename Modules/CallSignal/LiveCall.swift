internal import Seal
internal import Wire

/// The one call that is on: calling, ringing, or both can speak.
struct LiveCall: Sendable {
  /// How often an invite is said again, and how long we call.
  static let inviteInterval: Duration = .seconds(2)
  static let callingLimit: Duration = .seconds(60)
  /// How long it rings without another invite, and whatever is heard.
  static let ringingLimit: Duration = .seconds(12)
  static let longestRinging: Duration = .seconds(75)
  /// Nonces of the other side's that lost to our call and are ignored while it lives.
  static let glareCapacity = 8

  enum Phase: Sendable {
    case calling(CallKeyPair, nextInvite: Instant)
    case ringing(Invitation, lastInvite: Instant)
    /// `answering`: the invite that we answered; nil at the caller.
    case connected(answering: Invitation?)
  }

  /// An invite that may be answered, with what answers it.
  struct Invitation: Sendable {
    let callerKey: AgreementPublicKey
    let answerKey: AgreementPublicKey
    let keys: CallKeys
    /// Answers are said again for the repeats of an invite, and not for a flood of them.
    var repeats = TokenBucket(capacity: 4, perSecond: 2)
  }

  var party: CallParty
  let nonce: CallNonce
  let isCaller: Bool
  let began: Instant
  private(set) var phase: Phase
  /// There exactly while the phase is `connected`; beside it, so that frames change it in place.
  var conversation: Conversation?
  private var beatenByGlare: [CallNonce] = []

  init(_ party: CallParty, _ nonce: CallNonce, isCaller: Bool, began: Instant, _ phase: Phase) {
    self.party = party
    self.nonce = nonce
    self.isCaller = isCaller
    self.began = began
    self.phase = phase
  }

  /// We said our invite once more.
  mutating func invited(next: Instant) {
    if case .calling(let pair, _) = phase { phase = .calling(pair, nextInvite: next) }
  }

  /// The caller said its invite once more.
  mutating func wasInvited(at now: Instant) {
    if case .ringing(let invitation, _) = phase {
      phase = .ringing(invitation, lastInvite: now)
    }
  }

  /// Whether the repeat of an invite that we answered is answered again.
  mutating func takeRepeat(at now: Instant) -> Bool {
    guard case .connected(answering: var invitation?) = phase else { return false }
    defer { phase = .connected(answering: invitation) }
    return invitation.repeats.take(at: now)
  }

  /// Both can speak from now on.
  mutating func connect(_ conversation: Conversation, answering invitation: Invitation?) {
    phase = .connected(answering: invitation)
    self.conversation = conversation
  }

  /// An invite of the other side's lost to this call of ours.
  mutating func beat(_ nonce: CallNonce) {
    guard !beatenByGlare.contains(nonce) else { return }
    beatenByGlare.append(nonce)
    if beatenByGlare.count > Self.glareCapacity { beatenByGlare.removeFirst() }
  }

  func hasBeaten(_ nonce: CallNonce, of keys: PublicKeys) -> Bool {
    party.keys == keys && beatenByGlare.contains(nonce)
  }

  func isIt(_ nonce: CallNonce, with keys: PublicKeys) -> Bool {
    self.nonce == nonce && party.keys == keys
  }

  /// Whether a command is about this call: one that names no call is about any.
  func isMeant(by nonce: CallNonce?) -> Bool { nonce == nil || nonce == self.nonce }

  var isConnected: Bool { conversation != nil }

  var isRinging: Bool {
    switch phase {
    case .ringing: true
    case .calling, .connected: false
    }
  }

  var state: CallReport.State {
    switch phase {
    case .calling: .calling
    case .ringing: .ringing
    case .connected: .connected(conversation?.carrier ?? .mesh)
    }
  }

  var deadline: Instant {
    switch phase {
    case .calling(_, let nextInvite): min(nextInvite, began + Self.callingLimit)
    case .ringing(_, let lastInvite):
      min(lastInvite + Self.ringingLimit, began + Self.longestRinging)
    case .connected: conversation?.deadline ?? .distantFuture
    }
  }
}

extension LiveCall.Invitation {
  /// What answers an invite; nil when its key gives no secret.
  init?(
    from caller: CallParty, _ nonce: CallNonce, _ callerKey: AgreementPublicKey,
    to callee: Fingerprint, using generator: inout some RandomNumberGenerator
  ) {
    let pair = CallKeyPair(using: &generator)
    let binding = CallBinding(
      nonce: nonce, caller: caller.fingerprint, callee: callee, callerKey: callerKey,
      calleeKey: pair.publicKey)
    guard let keys = CallKeys(own: pair, other: callerKey, isCaller: false, binding) else {
      return nil
    }
    self.init(callerKey: callerKey, answerKey: pair.publicKey, keys: keys)
  }
}
