/// What measuring a case brought.
struct Measurement: Sendable {
  /// Times of one operation.
  let subject: Distribution
  /// Times of its limit, measured in turns with it.
  let limit: Distribution?
  /// How many bytes an operation goes through, where a rate in bytes says something.
  var bytes: Int?
  /// Figures that a time of one operation does not say, such as a share of a processor.
  var figures: [Goal.Metric: Double] = [:]
  /// Why the goals do not hold here, as on a processor without the instruction.
  var excuse: String?

  /// How many times as long as the limit the operation takes, by the medians.
  var ratio: Double? { limit.map { subject.median / $0.median } }
  var perSecond: Double { 1e9 / subject.median }
  /// Bytes a nanosecond are gigabytes a second.
  var gigabytesPerSecond: Double? { bytes.map { Double($0) / subject.median } }

  /// A figure that a goal can be set for; nil where this case has none.
  subscript(metric: Goal.Metric) -> Double? {
    switch metric {
    case .ratio: ratio
    case .perSecond: perSecond
    case .gigabytesPerSecond: gigabytesPerSecond
    case .longestMilliseconds: subject.longest / 1e6
    case .ofTheLimit, .processorRatio, .processorPercent, .residentMebibytes, .allocations:
      figures[metric]
    }
  }
}

/// Times of one operation, in nanoseconds.
struct Distribution: Sendable {
  let median: Double
  let p99: Double
  let longest: Double

  /// Nearest-rank percentiles of at least one sample.
  init(nanoseconds samples: [Double]) {
    let sorted = samples.sorted()
    func rank(_ share: Double) -> Double {
      guard !sorted.isEmpty else { return .nan }
      let index = Int((share * Double(sorted.count)).rounded(.up)) - 1
      return sorted[min(max(index, 0), sorted.count - 1)]
    }
    median = rank(0.5)
    p99 = rank(0.99)
    longest = sorted.last ?? .nan
  }
}
