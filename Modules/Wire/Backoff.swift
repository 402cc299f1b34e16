/// Pauses between attempts: doubled with each failure up to a bound, and never quite equal, so that
/// two who failed together do not try together.
public struct Backoff: Sendable {
  /// A pause is this much shorter or longer at the most.
  public static let jitterPercent = 25

  private let first: Duration
  private let maximum: Duration
  private var random: SplitMix64

  public init(first: Duration, maximum: Duration, random: SplitMix64) {
    self.first = first
    self.maximum = maximum
    self.random = random
  }

  /// The pause after the `failures`-th failure in a row, counted from 1.
  public mutating func pause(afterFailures failures: Int) -> Duration {
    let doublings = min(max(failures, 1) - 1, 30)
    return jitter(min(first * (1 << doublings), maximum))
  }

  /// A duration made a little shorter or longer.
  public mutating func jitter(_ duration: Duration) -> Duration {
    let span = 100 - Self.jitterPercent...100 + Self.jitterPercent
    return duration * Int.random(in: span, using: &random) / 100
  }
}
