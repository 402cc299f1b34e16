/// Why a call over the bus brought no answer that can be used.
public enum BusError: Error, Hashable, Sendable {
  /// There is no connection to the bus at the moment.
  case notConnected
  /// The bus went away before the answer came.
  case lost
  /// No answer within the time set for it.
  case timedOut
  /// The other side's answer is an error, by its name and its own words.
  case refused(name: String, message: String)
  /// What was to be sent cannot be said in D-Bus; which part.
  case unspeakable(String)
  /// A message nested deeper or larger than this program takes.
  case tooLarge
  /// More is under way, or waits to be sent, than this program keeps.
  case overloaded
}

extension BusError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notConnected: "no connection to the bus"
    case .lost: "the bus went away"
    case .timedOut: "no answer in time"
    case .refused(let name, let message): message.isEmpty ? name : "\(message) (\(name))"
    case .unspeakable(let part): "cannot be sent: \(part)"
    case .tooLarge: "the message is too large"
    case .overloaded: "too many calls under way"
    }
  }

  /// The name of the other side's error, if that is what it is.
  public var name: String? {
    if case .refused(let name, _) = self { name } else { nil }
  }
}
