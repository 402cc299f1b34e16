public import Wire

/// What the user is told of a message.
public enum MessageState: Hashable, Sendable {
  /// On no link yet.
  case waiting
  /// It went out on at least one link; no receipt yet.
  case sent
  /// The recipient's sealed receipt came.
  case delivered
  case failed(FailureReason)
}

/// Why a message is given up; the raw value is what programs read.
public enum FailureReason: String, Hashable, Sendable, CaseIterable {
  /// No receipt within 24 hours.
  case patience
  /// Its time was already past what receivers accept when it was handed in.
  case tooOld = "too-old"
  /// The recipient's number showed up with other keys.
  case keysChanged = "keys-changed"
  /// The program ends, and its outbox with it.
  case stopped
}

/// What the one who runs an outbox is to do.
public enum OutboxEffect: Hashable, Sendable {
  /// Send the packet that was handed in on every link that is up.
  case send(MessageID)
  /// Seal the message again under a fresh packet id, with the same time and message id; send that on
  /// every link that is up, and hand it to `replacePacket(of:with:)`.
  case sendFresh(MessageID)
  /// Send the packet last sealed on this link, its hop limit computed anew.
  case offer(MessageID, on: LinkID)
  /// Tell the user. After `delivered` and `failed` the outbox no longer holds the message.
  case stateChanged(MessageID, MessageState)
  /// Warn the user, once a message: past six hours every receiver refuses it.
  ///
  /// It stays: a receipt may still be under way, and the clock may be what is wrong.
  case ageLimitReached(MessageID)
}

/// Why the outbox does not take a message.
public enum OutboxError: Error, Hashable, Sendable {
  /// It holds as many messages as it may.
  case fullOfMessages(limit: Int)
  /// The message's bytes would go over what it may hold.
  case fullOfBytes(limit: Int)
  /// A message of this id is in it.
  case alreadyHeld
  /// The message's time is past what any receiver accepts (`FailureReason.tooOld`).
  case tooOld
}
