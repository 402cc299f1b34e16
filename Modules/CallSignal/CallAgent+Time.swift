internal import Seal
public import Wire

extension CallAgent {
  /// When `wake` has something to do; nil while nothing waits for its time.
  public var deadline: Instant? {
    // Asked after every message: without a call it costs nothing.
    guard live != nil || farewells.count > 0 else { return nil }
    return [live?.deadline, farewells.deadline].compactMap(\.self).min()
  }

  /// Does what has fallen due.
  public mutating func wake(at now: Instant) {
    for (signal, keys) in farewells.takeDue(at: now) { effects.append(.send(signal, to: keys)) }
    guard let call = live else { return }
    switch call.phase {
    case .calling(let pair, let nextInvite):
      if now >= call.began + LiveCall.callingLimit {
        end(.noAnswer, at: now)
      } else if now >= nextInvite {
        live?.invited(next: now + LiveCall.inviteInterval)
        effects.append(.send(.invite(call.nonce, pair.publicKey), to: call.party.keys))
      }
    case .ringing(_, let lastInvite):
      if now >= lastInvite + LiveCall.ringingLimit || now >= call.began + LiveCall.longestRinging {
        finish(.missed, at: now)
      }
    case .connected: wakeConversation(call, at: now)
    }
  }

  private mutating func wakeConversation(_ call: LiveCall, at now: Instant) {
    noteCarrier(at: now)
    for due in live?.conversation?.takeDue(at: now) ?? [] {
      switch due {
      case .filler: send(Conversation.filler, at: now)
      case .quiet: effects.append(.quiet(call.party))
      case .lost: end(.lost, at: now)
      case .deaf: effects.append(.send(.deaf(call.nonce), to: call.party.keys))
      }
    }
  }
}
