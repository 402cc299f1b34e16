/// A token bucket: `capacity` at once, `perSecond` in the long run.
public struct TokenBucket: Sendable {
  public let capacity: Int
  public let perSecond: Int
  /// In billionths of a token, so that refilling is exact.
  private var level: Int64
  private var filledAt: Instant?

  private static let token: Int64 = 1_000_000_000

  /// A full bucket of at most a billion tokens, refilled by as many a second.
  public init(capacity: Int, perSecond: Int) {
    precondition((1...1_000_000_000).contains(capacity) && (0...1_000_000_000).contains(perSecond))
    self.capacity = capacity
    self.perSecond = perSecond
    level = Int64(capacity) * Self.token
  }

  /// Takes `count` tokens, 1 to a billion, if at least `reserve` are left then; or takes none.
  ///
  /// - Returns: whether it took them.
  public mutating func take(
    _ count: Int = 1, leaving reserve: Int = 0, at now: Instant
  ) -> Bool {
    refill(at: now)
    let cost = Int64(clamping: count).multipliedReportingOverflow(by: Self.token)
    let rest = level.subtractingReportingOverflow(cost.partialValue)
    let reserved = Int64(clamping: reserve).multipliedReportingOverflow(by: Self.token)
    guard !cost.overflow, !rest.overflow, !reserved.overflow,
      rest.partialValue >= reserved.partialValue
    else { return false }
    level = rest.partialValue
    return true
  }

  private mutating func refill(at now: Instant) {
    guard let before = filledAt else {
      filledAt = now
      return
    }
    guard now > before else { return }
    filledAt = now
    // In whole numbers: this is asked for at every packet, and a Duration takes many times as long.
    let passed = now.nanoseconds.subtractingReportingOverflow(before.nanoseconds)
    let gain = passed.partialValue.multipliedReportingOverflow(by: Int64(perSecond))
    let sum = level.addingReportingOverflow(gain.partialValue)
    let full = Int64(capacity) * Self.token
    level = passed.overflow || gain.overflow || sum.overflow ? full : min(sum.partialValue, full)
  }
}
