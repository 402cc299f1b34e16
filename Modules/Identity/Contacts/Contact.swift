public import Wire

/// A person whose full keys an act of ours has pinned (PROTOCOL, section 1).
public struct Contact: Hashable, Sendable {
  public let keys: PublicKeys
  /// As the person's card or hello had it, or as we renamed it: any characters, at most 64 bytes.
  public internal(set) var name: String
  /// Whether we compared safety numbers with the person.
  public internal(set) var isVerified: Bool
  public let fingerprint: Fingerprint

  public var number: Number { fingerprint.number }

  init(keys: PublicKeys, name: String, isVerified: Bool = false) {
    self.keys = keys
    self.name = name
    self.isVerified = isVerified
    fingerprint = keys.fingerprint
  }
}

/// What is known of somebody's keys.
public enum Standing: Hashable, Sendable {
  /// No keys of that number are pinned.
  case unknown
  /// These very keys are.
  case pinned
  /// Other keys of that number are, these here.
  case contradicts(PublicKeys)
}

/// An act of ours that changes the contacts.
///
/// Doing one twice is doing it once.
public enum ContactChange: Hashable, Sendable {
  /// Pins keys; without effect when any keys of their number are pinned already.
  case pin(PublicKeys, name: String)
  /// Pins keys in the place of any others of their number.
  ///
  /// Other keys are another person as far as anybody can tell: the verified mark goes. With the
  /// keys that are pinned already it has no effect.
  case accept(PublicKeys, name: String)
  /// Marks a person as verified; without effect unless exactly these keys are pinned.
  case verify(PublicKeys)
  /// Renames a person; without effect unless exactly these keys are pinned.
  case rename(PublicKeys, String)
  /// Blocks a number, known or not.
  case block(Number)
  case unblock(Number)
}

/// Why a change was refused; the book is as before.
public enum ContactError: Error, Hashable, Sendable {
  case tooManyContacts(limit: Int)
  case tooManyBlocked(limit: Int)
  case nameTooLong(limit: Int)
  /// Keys of a reserved number, which is never anybody's.
  case reservedNumber(Number)
}

extension ContactError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooManyContacts(let limit): "there are \(limit) contacts already, the most there can be"
    case .tooManyBlocked(let limit):
      "there are \(limit) blocked numbers already, the most there can be"
    case .nameTooLong(let limit): "a name takes at most \(limit) bytes of UTF-8"
    case .reservedNumber(let number): "\(number) is a reserved number and never anybody's"
    }
  }
}
