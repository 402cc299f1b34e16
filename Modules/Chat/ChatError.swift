public import Wire

/// Why a command was refused.
public enum ChatError: Error, Hashable, Sendable {
  /// A line that is no command; says what is wrong with it.
  case badCommand(String)
  /// A text that is no number and no fingerprint.
  case badNumber(String)
  /// A number that stands in examples and is never anybody's.
  case reservedNumber(Number)
  /// Several keys claim the number.
  case ambiguous(Number, [Fingerprint])
  case blocked(Number)
  /// No keys are known for the number yet.
  case unknownNumber(Number)
  /// The number shows up with keys other than those kept for it.
  case keysChanged(Number)
  /// Bytes of UTF-8, and how many a message takes.
  case tooLong(bytes: Int, limit: Int)
  case empty
  /// How many messages wait, and how many may.
  case outboxFull(messages: Int, limit: Int)
  case noCall
  case busy
  /// The command is about ourselves.
  case isSelf

  /// The word that programs know it by.
  public var code: String {
    switch self {
    case .badCommand: "bad-command"
    case .badNumber, .reservedNumber: "bad-number"
    case .ambiguous: "ambiguous"
    case .blocked: "blocked"
    case .unknownNumber: "unknown-number"
    case .keysChanged: "keys-changed"
    case .tooLong: "too-long"
    case .empty: "empty"
    case .outboxFull: "outbox-full"
    case .noCall: "no-call"
    case .busy: "busy"
    case .isSelf: "self"
    }
  }
}

/// What a user should know without having asked.
public enum ChatWarning: Hashable, Sendable {
  /// Our clock seems wrong; positive when it is ahead of everyone else's.
  case clock(ahead: Duration)
  /// The identity file could not be opened, and this run has keys of its own; says why.
  case temporaryIdentity(why: String)
  /// Other keys show up under a number whose keys are kept.
  case keysChanged(kept: Fingerprint, seen: Fingerprint, name: String)
  /// Nothing was heard from the other side for 5 s.
  case callQuiet(Fingerprint)
  /// A message is over six hours old: nobody takes it any more.
  case ageLimit(MessageID)
  /// Something about the sound of a call: the code for programs, and a sentence of which a part may
  /// be another process's.
  case sound(code: String, text: String)

  /// The word that programs know it by.
  public var code: String {
    switch self {
    case .clock: "clock"
    case .temporaryIdentity: "temporary-identity"
    case .keysChanged: "keys-changed"
    case .callQuiet: "call-quiet"
    case .ageLimit: "age-limit"
    case .sound: "sound"
    }
  }
}
