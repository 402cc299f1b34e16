/// Measures two pieces of work in turns, so that whatever else the machine does meets both alike.
///
/// Each closure does its work as often as it is told. Work too short for the clock is timed in
/// batches, and a sample is then the mean of its batch.
struct Turns {
  /// A sample takes at least this long: a hundred times what reading the clock costs.
  private static let shortestSample: UInt64 = 3_000
  /// Bounds what the samples take of memory, and so of the cache.
  private static let maximumSamples = 1 << 18

  let subject: (Int) -> Void
  let limit: (Int) -> Void

  /// Runs for about `duration`, a tenth of it to warm up.
  func measure(for duration: Duration) -> (subject: Distribution, limit: Distribution) {
    let nanoseconds = UInt64(max(duration / .nanoseconds(1), 1))
    let batches = (batch(subject, nanoseconds / 20), batch(limit, nanoseconds / 20))
    var samples: ([Double], [Double]) = ([], [])
    let end = clockNanoseconds() + nanoseconds
    repeat {
      // The order changes, so that neither always finds the other's traces in the cache.
      samples.0.append(sample(subject, batches.0))
      samples.1.append(sample(limit, batches.1))
      samples.1.append(sample(limit, batches.1))
      samples.0.append(sample(subject, batches.0))
    } while clockNanoseconds() < end && samples.0.count < Self.maximumSamples
    return (Distribution(nanoseconds: samples.0), Distribution(nanoseconds: samples.1))
  }

  /// How often the work fits into a sample, found while warming up.
  private func batch(_ work: (Int) -> Void, _ nanoseconds: UInt64) -> Int {
    let end = clockNanoseconds() + nanoseconds
    var count = 1
    var shortest = UInt64.max
    repeat {
      let began = clockNanoseconds()
      work(count)
      shortest = clockNanoseconds() - began
      if shortest < Self.shortestSample { count *= 2 }
    } while clockNanoseconds() < end || shortest < Self.shortestSample
    return count
  }

  private func sample(_ work: (Int) -> Void, _ count: Int) -> Double {
    let began = clockNanoseconds()
    work(count)
    return Double(clockNanoseconds() - began) / Double(count)
  }
}

/// Takes a result, so that the work that made it is not optimised away.
@inline(never) func keep<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
