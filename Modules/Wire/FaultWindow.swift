/// Tells when something happens too often: more than `limit` times within `window`.
public struct FaultWindow: Sendable {
  public let limit: Int
  public let window: Duration
  /// How often it happened so far.
  public private(set) var count = 0
  /// The last `limit` times, a ring that grows as they come.
  private var times: [Instant] = []

  public init(limit: Int, window: Duration) {
    precondition(limit > 0, "a limit of at least one")
    self.limit = limit
    self.window = window
  }

  /// Counts one more; true when it is one too many.
  public mutating func note(at now: Instant) -> Bool {
    let index = count % limit
    count += 1
    guard index < times.count else {
      times.append(now)
      return false
    }
    let tooMany = now - times[index] <= window
    times[index] = now
    return tooMany
  }
}
