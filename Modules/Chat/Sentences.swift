internal import CommandLine
internal import Wire

extension ChatError {
  /// What is wrong and what to do, as one line without a full stop.
  public var message: String {
    switch self {
    case .badCommand(let why): why
    case .badNumber(let text):
      "\"\(DisplayText(text).truncated(toColumns: 40))\" is no number: a number has eight "
        + "characters, such as 7M2K-Q9XD"
    case .reservedNumber(let number): "\(number) is an example in texts and nobody's number"
    case .ambiguous(let number, let fingerprints):
      "several keys claim \(number): give the fingerprint of the right ones, one of "
        + fingerprints.map(\.hex).joined(separator: ", ")
    case .blocked(let number): "\(number) is blocked: unblock it first"
    case .unknownNumber(let number):
      "no keys are known for \(number) yet: import its card, or wait until it is heard"
    case .keysChanged(let number):
      "\(number) shows up with other keys than those kept for it: nothing goes there until you "
        + "accept them"
    case .tooLong(let bytes, let limit):
      "the text has \(bytes) bytes, and a message takes \(limit): shorten or divide it"
    case .empty: "the text is empty"
    case .outboxFull(let messages, let limit):
      "\(messages) messages wait, and the outbox takes \(limit): wait until some are delivered"
    case .noCall: "there is no call"
    case .busy: "there is a call already"
    case .isSelf: "that is your own number"
    }
  }
}

extension ChatWarning {
  /// What the user should know, as one line without a full stop.
  public var message: String {
    switch self {
    case .clock(let ahead):
      "the clock here seems \(Self.words(for: ahead)) \(ahead < .zero ? "behind" : "ahead of") "
        + "everybody else's: set it right, or messages are refused as too old or from the future"
    case .temporaryIdentity(let why):
      "this run has a temporary identity and a number of its own, for \(DisplayText(why)); the "
        + "identity file is left untouched"
    case .keysChanged(let kept, let seen, _):
      "\(seen.number) shows up with other keys (\(seen.hex)) than those kept for it (\(kept.hex)): "
        + "nothing goes to them and nothing of theirs is shown until you accept them"
    case .callQuiet: "nothing has been heard from the other side for 5 s"
    case .ageLimit: "a message is over six hours old: nobody takes it any more"
    case .sound(_, let text): DisplayText(text).description
    }
  }

  /// A length of time in its two largest units: `2 h 5 min`.
  static func words(for duration: Duration) -> String {
    let seconds = duration.wholeMilliseconds.magnitude / 1_000
    let units: [(name: String, seconds: UInt64)] = [
      ("days", 86_400), ("h", 3_600), ("min", 60), ("s", 1),
    ]
    guard let first = units.firstIndex(where: { seconds >= $0.seconds }) else { return "0 s" }
    let count = seconds / units[first].seconds
    var words = first == 0 && count == 1 ? "1 day" : "\(count) \(units[first].name)"
    if first + 1 < units.count {
      let rest = seconds % units[first].seconds / units[first + 1].seconds
      if rest > 0 { words += " \(rest) \(units[first + 1].name)" }
    }
    return words
  }
}
