internal import CommandLine
internal import Wire

extension SlashCommand {
  /// The command that was probably meant.
  static func nearest(to name: String) -> SlashCommand? {
    Nearest.word(to: name, among: allCases.map(\.rawValue)).flatMap(SlashCommand.init(rawValue:))
  }
}

extension ChatSession {
  /// Carries out a command of the interactive node.
  mutating func perform(_ command: SlashCommand, _ operands: [String], _ now: LocalTime)
    -> [Reaction]
  {
    if command.operands.isEmpty, !operands.isEmpty {
      return refuse("/\(command.rawValue) takes nothing after it", now)
    }
    switch command {
    case .who: return [.request(ChatRequest(.peers))]
    case .links: return [.request(ChatRequest(.links))]
    case .stats: return [.request(ChatRequest(.stats))]
    case .answer: return answer(now)
    case .decline: return [.request(ChatRequest(.decline(transcript.calls.current?.nonce)))]
    case .hangup: return [.request(ChatRequest(.hangUp(transcript.calls.current?.nonce)))]
    case .quit: return [.request(ChatRequest(.quit))]
    case .announce:
      return [
        .request(ChatRequest(.announce)),
        .say(transcript.notice("said hello to everyone in range", at: now)),
      ]
    case .to: return open(operands.joined(separator: " "), now)
    case .call: return withPerson(command, operands, orPartner: true, now) { .call($0) }
    case .block: return withPerson(command, operands, orPartner: false, now) { .block($0, true) }
    case .unblock: return withPerson(command, operands, orPartner: false, now) { .block($0, false) }
    case .verify: return verify(operands, now)
    case .accept: return accept(operands, now)
    case .mute: return mute(operands, now)
    case .help: return help(operands, now)
    }
  }

  private func refuse(_ sentence: String, _ now: LocalTime) -> [Reaction] {
    [.say(transcript.refusal(sentence, at: now))]
  }

  /// Answers the call that shows; not one that took another's place while the user was typing.
  private func answer(_ now: LocalTime) -> [Reaction] {
    guard let call = transcript.calls.current else { return [.request(ChatRequest(.answer()))] }
    if transcript.calls.hasJustChanged(at: now.time) {
      return refuse(
        "not answered: it is \(transcript.people.label(call.peer).plain) who calls now; "
          + "/answer again if you want to", now)
    }
    return [.request(ChatRequest(.answer(call.nonce)))]
  }

  private func withPerson(
    _ command: SlashCommand, _ operands: [String], orPartner: Bool, _ now: LocalTime,
    _ make: (Recipient) -> ChatCommand
  ) -> [Reaction] {
    if operands.isEmpty {
      guard orPartner, let partner else { return refuse(usage(command), now) }
      return [.request(ChatRequest(make(partner)))]
    }
    switch transcript.people.lookup(operands.joined(separator: " ")) {
    case .found(let recipient): return [.request(ChatRequest(make(recipient)))]
    case .refused(let why): return refuse(why, now)
    }
  }

  private func usage(_ command: SlashCommand) -> String {
    "/\(command.rawValue) \(command.operands): \(command.summary)"
  }

  private mutating func open(_ text: String, _ now: LocalTime) -> [Reaction] {
    if text.isEmpty { return refuse(usage(.to), now) }
    let recipient: Recipient
    switch transcript.people.lookup(text) {
    case .found(let found): recipient = found
    case .refused(let why): return refuse(why, now)
    }
    partner = recipient
    let people = transcript.people
    let peer =
      switch recipient {
      case .fingerprint(let fingerprint): people[fingerprint]
      case .number(let number): people.claiming(number).first
      }
    var words = StyledText("what you type now goes to ") + people.label(recipient)
    if let peer {
      words.append(
        peer.isVerified ? ", verified" : ", unverified", peer.isVerified ? .good : .warning)
      if peer.isBlocked { words.append(", and is blocked", .alarm) }
      if peer.heard == nil { words.append(", not heard in this run", .warning) }
      if let remark = people.remark(on: peer.fingerprint) {
        words.append(" (\(remark))", .warning)
      }
    } else {
      words.append(", of whom nothing has been heard yet", .warning)
    }
    return [.say(TranscriptEntry(.notice, words, at: now))]
  }

  private func verify(_ operands: [String], _ now: LocalTime) -> [Reaction] {
    let isSame = operands.last?.lowercased() == "same"
    let person = isSame ? Array(operands.dropLast()) : operands
    return withPerson(.verify, person, orPartner: true, now) { .verify($0, same: isSame) }
  }

  private func accept(_ operands: [String], _ now: LocalTime) -> [Reaction] {
    guard let last = operands.last else { return refuse(usage(.accept), now) }
    let fingerprint = Fingerprint(hex: last)
    let number = fingerprint == nil || operands.count == 1 ? operands : Array(operands.dropLast())
    do throws(ChatError) {
      let named = try Recipient(parsing: number.joined(separator: " "))
      if let fingerprint, fingerprint.number != named.number {
        return refuse(
          "the fingerprint \(fingerprint) belongs to \(fingerprint.number), not to "
            + "\(named.number)", now)
      }
      return [.request(ChatRequest(.accept(named.number, fingerprint)))]
    } catch {
      return refuse(error.message, now)
    }
  }

  private mutating func mute(_ operands: [String], _ now: LocalTime) -> [Reaction] {
    guard transcript.calls.current?.state == .connected else {
      return refuse(ChatError.noCall.message, now)
    }
    switch operands.map({ $0.lowercased() }) {
    case []: isMuted.toggle()
    case ["on"]: isMuted = true
    case ["off"]: isMuted = false
    default: return refuse(usage(.mute), now)
    }
    let words = isMuted ? "your microphone is silent" : "your microphone is open"
    return [
      .request(ChatRequest(.mute(isMuted))), .say(transcript.notice(words, at: now)),
    ]
  }

  private func help(_ operands: [String], _ now: LocalTime) -> [Reaction] {
    guard let name = operands.first else {
      return [.say(TranscriptEntry(.notice, Self.overview, at: now))]
    }
    let word = name.hasPrefix("/") ? String(name.dropFirst()) : name
    guard operands.count == 1, let command = SlashCommand(rawValue: word.lowercased()) else {
      let near = SlashCommand.nearest(to: word).map { "; did you mean /help \($0.rawValue)?" } ?? ""
      return refuse("there is no command /\(People.shown(name: word))\(near)", now)
    }
    var body = StyledText(usage(command))
    if let explanation = command.explanation { body.append("\n\(explanation)", .plain) }
    return [.say(TranscriptEntry(.notice, body, at: now))]
  }

  private static var overview: StyledText {
    var body = StyledText("what you can type")
    body.append("\nTEXT: goes to the open conversation; // begins a text with a slash", .plain)
    for command in SlashCommand.allCases {
      let usage = "/\(command.rawValue) \(command.operands)"
      let padding = String(repeating: " ", count: max(1, 31 - usage.count))
      body.append("\n\(usage)\(padding)", .own)
      body.append(command.summary, .plain)
    }
    body.append(
      "\n✓ before a name: you compared safety numbers; ? before it: nobody checked who it is",
      .plain)
    body.append("\nTab completes, the arrows and ^R bring lines back, ^C clears, ^D leaves", .plain)
    return body
  }
}
