/// Which signals are wanted; what is nil may be anything.
///
/// - Source: D-Bus Specification, "Match Rules".
public struct SignalRule: Hashable, Sendable {
  /// A well-known name or a unique one.
  ///
  /// Signals of others who merely say the same are not heard.
  public var sender: String
  public var interface: String
  public var member: String
  public var path: ObjectPath?
  /// The object at this path and all below it.
  public var below: ObjectPath?
  /// The first argument, a string.
  public var firstArgument: String?

  public init(
    sender: String, interface: String, member: String, path: ObjectPath? = nil,
    below: ObjectPath? = nil, firstArgument: String? = nil
  ) {
    self.sender = sender
    self.interface = interface
    self.member = member
    self.path = path
    self.below = below
    self.firstArgument = firstArgument
  }

  /// As the bus is told; nil when it cannot be said in the bus's notation.
  var text: String? {
    var parts = [
      ("type", "signal"), ("sender", sender), ("interface", interface), ("member", member),
    ]
    if let path { parts.append(("path", path.description)) }
    if let below { parts.append(("path_namespace", below.description)) }
    if let firstArgument { parts.append(("arg0", firstArgument)) }
    // Quoting is not worth its rules: no name, no interface has such a character.
    guard parts.allSatisfy({ part in !part.1.utf8.contains { $0 == 0x27 || $0 == 0 } }) else {
      return nil
    }
    return parts.map { "\($0.0)='\($0.1)'" }.joined(separator: ",")
  }

  /// Whether a signal is wanted, its sender not looked at.
  func matches(path: ObjectPath, interface: String, member: String) -> Bool {
    member == self.member && interface == self.interface && (self.path ?? path) == path
      && (below.map(path.isWithin) ?? true)
  }
}
