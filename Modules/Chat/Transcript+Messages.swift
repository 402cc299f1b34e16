internal import CommandLine
internal import Wire

extension Transcript {
  /// How far a message's own time may be off before the transcript names it.
  static let unremarkableDelay = Duration.seconds(120)

  /// Someone's message, and once for each person the advice to compare safety numbers.
  mutating func entries(_ message: IncomingMessage, _ now: LocalTime) -> [TranscriptEntry] {
    let peer = people[message.from]
    let isVerified = peer?.isVerified ?? false
    var author = people.label(message.from, name: message.name)
    if let remark = people.remark(on: message.from, name: message.name) {
      author.append(" (\(remark))", .warning)
    }
    if let written = Self.remark(onTime: message.time, now) {
      author.append(" (\(written))", .quiet)
    }
    var entries = [
      TranscriptEntry(
        isVerified ? .verified : .unverified, by: author, words: Self.words(message.text), at: now)
    ]
    if !isVerified, advised.insert(message.from).inserted {
      if advised.count > People.capacity { advised = [message.from] }
      entries.append(
        TranscriptEntry(
          .notice,
          StyledText("nobody has checked that this is ", .quiet)
            + people.label(message.from, name: message.name)
            + StyledText(": /verify \(message.from.number) shows what to compare", .quiet),
          at: now))
    }
    return entries
  }

  /// Others' words, harmless; line breaks stay.
  static func words(_ text: String) -> StyledText {
    StyledText(DisplayText(text, lineBreaks: .kept).description)
  }

  private static func remark(onTime written: Timestamp, _ now: LocalTime) -> String? {
    let age = now.time.since(written)
    guard age > unremarkableDelay || age < .zero - unremarkableDelay else { return nil }
    let then = now.with(written)
    let moment = then.day == now.day ? then.clock : "\(then.day) \(then.clock)"
    return age > .zero ? "written \(moment)" : "written \(moment) by a clock ahead of yours"
  }

  /// Our own message when the node has it, and each change of its state after that.
  mutating func entries(_ status: DeliveryStatus, _ now: LocalTime) -> [TranscriptEntry] {
    guard let (message, isFirst) = outgoing.update(status) else {
      if outgoing.isKnown(status) { return [] }
      let words = StyledText("message \(status.id.hex.prefix(8)) ", .quiet)
      return [TranscriptEntry(.own, words + Self.words(for: status.state), at: now)]
    }
    let state = Self.words(for: status.state)
    if case .failed = status.state {
      var words =
        StyledText("\(message.tag) to ", .alarm) + message.label + StyledText(" ", .alarm) + state
      words.append(": ", .quiet)
      words.append(DisplayText(message.text).truncated(toColumns: 60).description, .quiet)
      return [TranscriptEntry(.warning, words, at: now)]
    }
    guard isFirst else {
      let words = StyledText("\(message.tag) to ", .quiet) + message.label + StyledText(" ") + state
      return [TranscriptEntry(.own, words, at: now)]
    }
    var author =
      message.label + StyledText(" \(message.tag) (", .quiet) + state
    if let absence = absence(of: message.to) { author.append("; \(absence)", .warning) }
    author.append(")", .quiet)
    return [TranscriptEntry(.own, by: author, words: Self.words(message.text), at: now)]
  }

  /// What to say of a recipient who may not be there.
  private func absence(of recipient: Recipient) -> String? {
    let known =
      switch recipient {
      case .fingerprint(let fingerprint): people[fingerprint]
      case .number(let number): people.claiming(number).first
      }
    return known?.heard == nil ? "not heard in this run, it goes out again when it is" : nil
  }

  static func words(for state: DeliveryStatus.State) -> StyledText {
    switch state {
    case .waiting: StyledText("waiting: no device is in reach", .warning)
    case .sent: StyledText("sent", .quiet)
    case .delivered: StyledText("delivered", .good)
    case .failed(.patience):
      StyledText("failed: no receipt came within 24 hours", .alarm)
    case .failed(.tooOld):
      StyledText("failed: it is over six hours old, and nobody takes it any more", .alarm)
    case .failed(.keysChanged):
      StyledText("failed: the number shows up with other keys than those it was for", .alarm)
    case .failed(.stopped):
      StyledText("not delivered: this program leaves, and what waits lives in its memory", .alarm)
    }
  }
}
