internal import Wire

/// What comes of a line that the user entered.
public enum Reaction: Hashable, Sendable {
  case request(ChatRequest)
  case say(TranscriptEntry)
}

/// The interactive node without its terminal: lines typed and events in, requests and entries out.
public struct ChatSession: Sendable {
  public internal(set) var transcript = Transcript()
  /// Whom plain text goes to.
  public internal(set) var partner: Recipient?
  var isMuted = false

  /// Marks the request whose answer is learned from and not shown.
  private static let knownRef = "known"

  public init() {}

  /// What to ask before the first line: who is known, for names and their completion.
  public let openingRequests = [ChatRequest(.peers, ref: knownRef)]

  /// What an event says to the user.
  public mutating func entries(for event: ChatEvent, at now: LocalTime) -> [TranscriptEntry] {
    switch event {
    case .peers(let peers, Self.knownRef?):
      for peer in peers { transcript.people.learn(peer) }
      return []
    case .error(_, Self.knownRef?): return []
    case .call(let call):
      if case .ended = call.state { isMuted = false }
      return transcript.entries(for: event, at: now)
    default: return transcript.entries(for: event, at: now)
    }
  }

  /// What stands before the line being typed: whom it goes to, and how the call is.
  public var prompt: StyledText {
    var prompt = StyledText()
    if let call = transcript.calls.current {
      switch call.state {
      case .calling: prompt.append("(calling) ", .good)
      case .ringing: prompt.append("(ringing) ", .alarm)
      case .connected:
        let quality = transcript.calls.quality
        prompt.append(
          "(in a call\(isMuted ? ", muted" : "")\(quality.map(figures) ?? "")) ",
          quality?.lossPercent ?? 0 >= CallLog.badLossPercent ? .alarm : .good)
      case .ended: break
      }
    }
    if let partner { prompt = prompt + transcript.people.label(partner) }
    prompt.append("> ", .plain)
    return prompt
  }

  /// How the call sounds, in as few columns as will do.
  private func figures(_ quality: CallQuality) -> String {
    let road = transcript.calls.current?.road == .direct ? ", direct" : ", mesh"
    let loss = quality.lossPercent > 0 ? ", \(quality.lossPercent) % lost" : ""
    let echo = quality.echoRemovedDB > 0 ? ", echo −\(quality.echoRemovedDB) dB" : ""
    return "\(road), \(quality.bufferMilliseconds) ms\(loss)\(echo)"
  }

  /// Completes the line up to the cursor.
  public func completion(of typed: String) -> LineCompletion {
    transcript.people.completion(of: typed)
  }

  /// Carries out a line.
  public mutating func enter(_ line: String, at now: LocalTime) -> [Reaction] {
    switch EnteredLine(line) {
    case .nothing: return []
    case .text(let text): return [send(text, now)]
    case .command(let command, let operands):
      return perform(command, operands.map(String.init), now)
    case .unknown(let name): return [.say(transcript.refusal(unknown(name), at: now))]
    }
  }

  private mutating func send(_ text: String, _ now: LocalTime) -> Reaction {
    guard let partner else {
      var sentence = "this text goes to nobody yet: /to NUMBER or NAME opens a conversation"
      let near = transcript.people.all.filter { $0.heard != nil && !$0.isBlocked }
      if near.count == 1, let only = near.first {
        sentence += "; \(transcript.people.label(only.fingerprint).plain) is there"
      } else {
        sentence += ", /who lists the people who are near"
      }
      sentence += " (the up arrow brings the text back)"
      return .say(transcript.refusal(sentence, at: now))
    }
    let label = transcript.people.label(partner)
    do throws(ChatError) {
      let command = try ChatCommand.send(to: partner, text: text).checked()
      return .request(
        ChatRequest(command, ref: transcript.outgoing.add(to: partner, label: label, text: text)))
    } catch {
      return .say(
        transcript.refusal(
          "not sent to \(label.plain): \(error.message) (the up arrow brings the text back)",
          at: now))
    }
  }

  private func unknown(_ name: String) -> String {
    let shown = People.shown(name: name)
    let near = SlashCommand.nearest(to: name).map { "did you mean /\($0.rawValue)? " } ?? ""
    return "there is no command /\(shown); \(near)/help lists them, // begins a text with a slash"
  }
}
