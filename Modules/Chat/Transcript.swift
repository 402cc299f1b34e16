internal import CommandLine
internal import Wire

/// What a person at a terminal reads of a node's events, in order of arrival.
///
/// Every line that others can write into begins with a time, a mark and a number that they cannot,
/// and their words are made harmless and kept off the left edge.
public struct Transcript: Sendable {
  public internal(set) var people = People()
  /// Messages of our own, by their ref.
  var outgoing = OutgoingMessages()
  var calls = CallLog()
  var advised = Set<Fingerprint>()
  private var day: String?

  public init() {}

  /// The entries that tell of an event.
  public mutating func entries(for event: ChatEvent, at now: LocalTime) -> [TranscriptEntry] {
    let told = tell(event, now)
    if told.isEmpty || now.day == day { return told }
    // The first day goes without saying.
    defer { day = now.day }
    return (day == nil ? [] : [.day(now)]) + told
  }

  private mutating func tell(_ event: ChatEvent, _ now: LocalTime) -> [TranscriptEntry] {
    switch event {
    case .ready(let ready): return [greeting(ready, now)]
    case .link(let link): return [entry(link, now)]
    case .peer(let peer): return introduce(peer, now)
    case .message(let message): return entries(message, now)
    case .state(let status): return entries(status, now)
    case .call(let call): return entries(call, now)
    case .quality(let quality): return entries(quality, now)
    case .peers(let peers, _): return list(peers, now)
    case .links(let links, _): return list(links, now)
    case .stats(let statistics, _): return list(statistics, now)
    case .safety(let safety, _): return [entry(safety, now)]
    case .warning(let warning): return [entry(warning, now)]
    case .error(let error, let ref): return [entry(error, ref: ref, now)]
    }
  }

  /// A line of the program's own that no event stands for.
  public func notice(_ text: String, at now: LocalTime) -> TranscriptEntry {
    TranscriptEntry(.notice, StyledText(DisplayText(text).description, .quiet), at: now)
  }

  /// A line that says why what was typed was not done.
  func refusal(_ text: String, at now: LocalTime) -> TranscriptEntry {
    TranscriptEntry(.warning, StyledText(text, .warning), at: now)
  }

  private func greeting(_ ready: Ready, _ now: LocalTime) -> TranscriptEntry {
    var words =
      StyledText("you are ") + people.label(ready.fingerprint, name: ready.name, role: .own)
    if ready.temporary { words.append(" for this run only", .warning) }
    words.append(
      ready.port == 0 ? "; nothing is listened on" : "; listening on port \(ready.port)", .plain)
    words.append("; /help lists the commands", .quiet)
    return TranscriptEntry(.notice, words, at: now)
  }

  private func entry(_ link: LinkStatus, _ now: LocalTime) -> TranscriptEntry {
    var words = StyledText("link \(DisplayText(link.link)) is \(link.isUp ? "up" : "down")", .quiet)
    if let remote = link.remote { words.append(": \(DisplayText(remote))", .quiet) }
    return TranscriptEntry(.notice, words, at: now)
  }

  private func entry(_ warning: ChatWarning, _ now: LocalTime) -> TranscriptEntry {
    var words = StyledText(warning.message, .alarm)
    switch warning {
    case .clock, .temporaryIdentity, .sound: break
    case .keysChanged(_, let seen, let name):
      words =
        people.label(seen, name: name, role: .alarm) + StyledText(": ", .alarm) + words
        + StyledText(
          "; ask the person, and only then: /accept \(seen.number) \(seen.hex)", .warning)
    case .callQuiet(let peer): words = people.label(peer) + StyledText(": ", .alarm) + words
    case .ageLimit(let id):
      if let message = outgoing[id] {
        words =
          StyledText("\(message.tag) to ", .alarm) + message.label
          + StyledText(" is over six hours old: nobody takes it any more", .alarm)
      }
    }
    return TranscriptEntry(.warning, words, at: now)
  }

  private mutating func entry(_ error: ChatError, ref: String?, _ now: LocalTime)
    -> TranscriptEntry
  {
    var words = StyledText(error.message, .warning)
    if let hint = Self.hint(for: error) { words.append("; \(hint)", .quiet) }
    guard let ref, let message = outgoing.refuse(ref) else {
      return TranscriptEntry(.warning, words, at: now)
    }
    return TranscriptEntry(
      .warning,
      StyledText("not sent to ", .warning) + message.label + StyledText(": ", .warning) + words
        + StyledText(" (the up arrow brings the text back)", .quiet),
      at: now)
  }

  /// What to type, where the error's own words do not say it.
  private static func hint(for error: ChatError) -> String? {
    switch error {
    case .ambiguous: "type the fingerprint in place of the number"
    case .blocked(let number): "/unblock \(number)"
    case .unknownNumber: "a card is imported by airlink-keytool import FILE"
    case .keysChanged(let number): "ask the person, and only then: /accept \(number)"
    case .busy: "/hangup ends it"
    case .badCommand, .badNumber, .reservedNumber, .tooLong, .empty, .outboxFull, .noCall,
      .isSelf:
      nil
    }
  }
}
