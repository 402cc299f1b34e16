public import Wire

/// Whom a command is about: a number, or the fingerprint where several keys claim one number.
///
/// Names are resolved before this, by the front end that knows who is about; no name gets here.
public enum Recipient: Hashable, Sendable, CustomStringConvertible {
  case number(Number)
  case fingerprint(Fingerprint)

  /// The number, which a fingerprint has too.
  public var number: Number {
    switch self {
    case .number(let number): number
    case .fingerprint(let fingerprint): fingerprint.number
    }
  }

  public var description: String {
    switch self {
    case .number(let number): number.description
    case .fingerprint(let fingerprint): fingerprint.hex
    }
  }
}

/// What a person or a program can ask of a node.
public enum ChatCommand: Hashable, Sendable {
  case send(to: Recipient, text: String)
  case call(Recipient)
  /// Answers the call that rings; with a nonce, only if it is the call of that nonce.
  case answer(CallNonce? = nil)
  case decline(CallNonce? = nil)
  case hangUp(CallNonce? = nil)
  /// Whether our own microphone is to be silent.
  case mute(Bool)
  /// Takes the keys that now claim a number for its owner's; the fingerprint where several do.
  case accept(Number, Fingerprint?)
  /// Asks for the safety number; with `same`, says that both people compared it and it is the same.
  case verify(Recipient, same: Bool)
  case block(Recipient, Bool)
  /// Everyone known: those heard in this run and those whose keys are kept on disk.
  case peers
  case links
  case stats
  /// Sends a hello now.
  case announce
  case quit
}

/// A command with the mark by which its sender knows the answer.
public struct ChatRequest: Hashable, Sendable {
  /// The sender's own text, echoed in answers and refusals.
  public let ref: String?
  public let command: ChatCommand

  public init(_ command: ChatCommand, ref: String? = nil) {
    self.command = command
    self.ref = ref
  }
}
