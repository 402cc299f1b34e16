/// A command of the interactive node, as typed.
public enum SlashCommand: String, Hashable, Sendable, CaseIterable {
  case who, to, call, answer, decline, hangup, mute, accept, verify, block, unblock, announce
  case links, stats, help, quit

  /// What stands after the command in the help.
  public var operands: String {
    switch self {
    case .to, .block, .unblock: "PERSON"
    case .call: "[PERSON]"
    case .accept: "NUMBER [FINGERPRINT]"
    case .verify: "[PERSON] [same]"
    case .mute: "[on|off]"
    case .help: "[COMMAND]"
    case .who, .answer, .decline, .hangup, .links, .stats, .announce, .quit: ""
    }
  }

  /// What the help says of it, in one line.
  public var summary: String {
    switch self {
    case .who: "list the people who are near or known"
    case .to: "open a conversation; what you type then goes there"
    case .call: "call a person, or the one you are talking to"
    case .answer: "answer the call that rings"
    case .decline: "decline the call that rings"
    case .hangup: "end the call"
    case .mute: "silence your microphone, or open it again"
    case .accept: "take the new keys of a number for its owner's"
    case .verify: "show the safety number; with `same` once you have compared it"
    case .block: "show nothing more of a person"
    case .unblock: "let a blocked person through again"
    case .announce: "tell everyone in range that you are here"
    case .links: "list the links to other devices"
    case .stats: "show counters, and every bound with what it holds"
    case .help: "list the commands, or explain one"
    case .quit: "leave"
    }
  }

  /// More than the summary, for `/help COMMAND`.
  public var explanation: String? {
    switch self {
    case .to:
      "PERSON is a number such as 7M2K-Q9XD, a name, or a fingerprint of 16 hexadecimal digits."
    case .accept:
      "Do this only when you know why the keys changed: a new device, a new identity. "
        + "Where several keys claim the number, give the fingerprint of the right ones."
    case .verify:
      "Read the twelve groups to each other, in person or on the phone. If they are the same on "
        + "both sides, nobody sits between you: type /verify PERSON same."
    case .block:
      "A blocked person's messages and calls never show, and get no receipt."
    default: nil
    }
  }

  /// What is to be completed after it.
  var takesPerson: Bool {
    switch self {
    case .to, .call, .accept, .verify, .block, .unblock: true
    default: false
    }
  }
}

/// What a line that the user entered means.
public enum EnteredLine: Hashable, Sendable {
  case nothing
  /// A text for the open conversation.
  case text(String)
  case command(SlashCommand, operands: [Substring])
  /// Begins with a slash and is no command.
  case unknown(String)

  /// Reads a line: a command begins with a slash, `//` begins a text with a slash.
  ///
  /// A line of several rows is always a text: it was pasted, and nothing pasted is a command.
  public init(_ line: String) {
    if line.allSatisfy(\.isWhitespace) {
      self = .nothing
    } else if !line.hasPrefix("/") || line.contains(where: \.isNewline) {
      self = .text(line)
    } else if line.hasPrefix("//") {
      self = .text(String(line.dropFirst()))
    } else {
      let words = line.dropFirst().split(whereSeparator: \.isWhitespace)
      let name = line.dropFirst().first?.isWhitespace == false ? words.first ?? "" : ""
      if let command = SlashCommand(rawValue: name.lowercased()) {
        self = .command(command, operands: Array(words.dropFirst()))
      } else {
        self = .unknown(String(name))
      }
    }
  }
}
