public import Wire

/// The times that our own hellos and signals carry: each later than the one before (PROTOCOL,
/// section 7).
public struct SendingClock: Sendable {
  /// How far ahead of our clock a remembered time may be before it is forgotten.
  public static let maximumLead: Duration = .seconds(15 * 60)

  private var newest: Timestamp?

  public init() {}

  /// The time for what is sent now: later than the last one, unless that is far ahead of the clock,
  /// which then was wrong.
  public mutating func next(_ wallClock: Timestamp) -> Timestamp {
    var time = wallClock
    if let newest, newest.since(wallClock) <= Self.maximumLead {
      time = max(wallClock, newest.advanced(by: .milliseconds(1)))
    }
    newest = time
    return time
  }
}
