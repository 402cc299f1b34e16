internal import Wire

/// How many tokens a bucket holds and how fast it fills.
public struct TokenRate: Hashable, Sendable, BitwiseCopyable {
  public let capacity: Int
  public let perSecond: Int
  /// Nanoseconds that one token takes to come back.
  let interval: Int64
  /// Nanoseconds that an empty bucket takes to fill.
  let window: Int64

  public init(capacity: Int, perSecond: Int) {
    precondition((1...1_000_000).contains(capacity), "a bucket holds a token and not too many")
    precondition((1...1_000_000).contains(perSecond), "a bucket fills, and not too fast to tell")
    self.capacity = capacity
    self.perSecond = perSecond
    interval = 1_000_000_000 / Int64(perSecond)
    window = interval * Int64(capacity)
  }
}

/// A token bucket that stands full when it begins.
///
/// Kept as the one moment at which it will be full again (the generic cell rate algorithm): eight
/// bytes, no fractions to drift, and nothing to do while nobody asks.
struct TokenBucket: Sendable, BitwiseCopyable {
  private var fullAt = Int64.min

  /// Whether a token is there at `now`.
  func hasToken(_ rate: TokenRate, now: Instant) -> Bool {
    max(fullAt, now.nanoseconds) &- now.nanoseconds <= rate.window - rate.interval
  }

  /// Takes a token; false when there is none.
  mutating func take(_ rate: TokenRate, now: Instant) -> Bool {
    guard hasToken(rate, now: now) else { return false }
    fullAt = max(fullAt, now.nanoseconds) &+ rate.interval
    return true
  }
}
