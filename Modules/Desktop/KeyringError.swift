internal import DBus

/// Why the desktop's keyring gave or took no key.
public enum KeyringError: Error, Hashable, Sendable {
  /// There is no bus of the user's; in the bus library's words.
  case noBus(String)
  /// Nothing on the bus keeps secrets.
  case noService
  /// It is locked, and the question whether to unlock it was dismissed.
  case dismissed
  case timedOut
  /// It is not the keyring that Secret Service describes.
  case strange(String)
  case refused(String)
}

extension KeyringError: CustomStringConvertible {
  /// A part of a sentence, without full stop; the service's words in it may be anything.
  public var description: String {
    switch self {
    case .noBus(let why): "there is no session bus (\(why))"
    case .noService: "no keyring service runs (org.freedesktop.secrets)"
    case .dismissed: "it is locked, and was not unlocked"
    case .timedOut: "it does not answer"
    case .strange(let what): "its answer makes no sense (\(what))"
    case .refused(let why): why
    }
  }

  init(_ error: BusError) {
    switch error {
    case .timedOut: self = .timedOut
    case .notConnected, .lost: self = .noBus("\(error)")
    // The last is the bus's word where a service goes away instead of answering.
    case .refused("org.freedesktop.DBus.Error.ServiceUnknown", _),
      .refused("org.freedesktop.DBus.Error.NoReply", _),
      .refused("org.freedesktop.DBus.Error.NameHasNoOwner", _):
      self = .noService
    case .refused, .unspeakable, .tooLarge, .overloaded: self = .refused("\(error)")
    }
  }
}
