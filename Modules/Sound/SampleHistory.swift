/// The last samples of a stream, found by their number.
public struct SampleHistory: Sendable {
  private var samples: [Float]
  /// Samples that were ever appended: the number of the next.
  public private(set) var end = 0

  /// Remembers the last `capacity` samples, at least one.
  public init(capacity: Int) { samples = [Float](repeating: 0, count: max(1, capacity)) }

  public mutating func append(_ added: Span<Float>) {
    for place in added.indices {
      samples[end % samples.count] = added[place]
      end += 1
    }
  }

  public mutating func appendSilence(_ count: Int) {
    for _ in 0..<max(0, min(count, samples.count)) {
      samples[end % samples.count] = 0
      end += 1
    }
    end += max(0, count - samples.count)
  }

  /// Copies samples out, from the one of number `start` on; those that are not there are silence.
  public func copy(from start: Int, into result: inout [Float]) {
    for place in result.indices {
      let (number, overflow) = start.addingReportingOverflow(place)
      let isThere = !overflow && number >= 0 && number < end && number >= end - samples.count
      result[place] = isThere ? samples[number % samples.count] : 0
    }
  }
}
