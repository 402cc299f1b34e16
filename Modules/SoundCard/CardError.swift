internal import CALSA
internal import Glibc

/// Which way sound goes through a card.
public enum CardDirection: String, Sendable, CaseIterable {
  case capture, playback
}

/// Why a sound card does not work, in words that name it.
public struct CardError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// There is no such device, or not any more.
    case missing
    /// Another program has it.
    case busy
    /// It is there, and not for this user.
    case forbidden
    case other
  }

  public let device: String
  public let direction: CardDirection
  public let kind: Kind
  /// What libasound says.
  public let reason: String

  init(_ device: String, _ direction: CardDirection, code: CInt) {
    self.device = device
    self.direction = direction
    kind =
      switch -code {
      case ENOENT, ENODEV, ENXIO, ECONNREFUSED: .missing
      case EBUSY, EAGAIN: .busy
      case EACCES, EPERM: .forbidden
      default: .other
      }
    reason = snd_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  public var description: String {
    let what = direction == .capture ? "record from" : "play on"
    return switch kind {
    case .missing: "cannot \(what) the sound device: there is none by that name (\(reason))"
    case .busy: "cannot \(what) the sound device: another program uses it"
    case .forbidden: "cannot \(what) the sound device: not allowed (see the group 'audio')"
    case .other: "cannot \(what) the sound device: \(reason)"
    }
  }
}
