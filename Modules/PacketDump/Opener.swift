internal import CommandLine
internal import Identity
internal import Seal
internal import Unlock
internal import Wire

/// What came of opening a sealed packet that is for the identity at hand.
///
/// Indirect, because it is large and most packets have none: then it is one word that is nil.
indirect enum Opening {
  case opened(OpenedMessage)
  case refused(OpenError)
}

/// Opens what was sealed to one identity (`--identity`).
struct Opener {
  /// How often a passphrase may be typed wrong.
  static let maximumTries = 3

  let identity: Identity

  /// Opens the identity of the home at `path`; the options say how it is sealed, as for the other
  /// programs, and a passphrase is asked for on the terminal where none is given.
  static func unlock(
    _ path: String, _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> Opener {
    let home: Home
    do throws(FileError) {
      home = try Home(path: path, ifMissing: .refuse)
    } catch {
      throw Failure(error)
    }
    let kind = try Failure.of { () throws(IdentityFileError) in
      try IdentityFile.kind(in: home)
    }
    let choice = SealingChoice(arguments)
    if let choice, choice.kind != kind { throw Failure(IdentityFileError.otherSealing(kind)) }
    let isTyped = choice == nil && kind == .passphrase
    for attempt in 1... {
      let key = try Unlock.existingKey(
        arguments, kind: kind, canAsk: TerminalPrompt.isAvailable, console)
      do throws(IdentityFileError) {
        return Opener(identity: try IdentityFile.open(in: home, with: key).identity)
      } catch {
        guard isTyped, error == .wrongPassphrase, attempt < maximumTries else {
          throw Failure(error)
        }
        console.note("wrong passphrase; try again")
      }
    }
    preconditionFailure("the last try returns or throws")
  }

  /// Nil for packets that are not sealed to this identity.
  func open(_ view: borrowing PacketView) -> Opening? {
    guard view.header.kind == .sealed, view.refusal == nil,
      view.header.destination == identity.fingerprint
    else { return nil }
    do throws(OpenError) {
      return .opened(
        try MessageSeal.open(
          view.payload, packetID: view.header.id, time: view.header.time, by: identity))
    } catch {
      return .refused(error)
    }
  }
}

extension OpenError {
  /// Why a packet that is for us does not open.
  var sentence: String {
    switch self {
    case .wrongLength: "a length that no seal has"
    case .zeroSharedSecret: "sealed with a key of small order"
    case .notAuthentic: "does not open: sealed to other keys, or changed on the way"
    case .badEnvelope: "opens, but holds no message"
    case .reservedNumber: "opens, from a number that is never issued"
    case .badSignature: "opens, but its signature does not hold"
    }
  }
}

extension MessageContent {
  var word: String {
    switch self {
    case .text: "text"
    case .receipt: "receipt"
    case .callSignal: "call-signal"
    }
  }
}

extension CallSignal {
  var word: String {
    switch self {
    case .invite: "invite"
    case .answer: "answer"
    case .decline: "decline"
    case .end: "end"
    case .deaf: "deaf"
    }
  }

  var ephemeralKey: AgreementPublicKey? {
    switch self {
    case .invite(_, let key), .answer(_, let key): key
    case .decline, .end, .deaf: nil
    }
  }
}

/// The errors of Identity in words for the person who ran the program.
extension Failure {
  fileprivate init(_ error: IdentityFileError) { self.init(error.description, error.hint) }
  fileprivate init(_ error: FileError) { self.init(error.description, error.hint) }

  fileprivate static func of<Result>(
    _ body: () throws(IdentityFileError) -> Result
  ) throws(Failure) -> Result {
    do throws(IdentityFileError) { return try body() } catch { throw Failure(error) }
  }

  /// Paths stand in both, as somebody wrote them: they are made harmless.
  private init(_ message: String, _ hint: String?) {
    let message = DisplayText(message).description
    if let hint {
      self.init(message, hints: DisplayText(hint).description)
    } else {
      self.init(message)
    }
  }
}
