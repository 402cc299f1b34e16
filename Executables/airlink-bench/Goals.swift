/// What a case is to reach, and how far off is put down to the machine.
struct Goal: Sendable {
  enum Metric: String, Sendable {
    /// The operation's median time over its limit's.
    case ratio
    case perSecond
    case gigabytesPerSecond
    /// The longest time of one operation.
    case longestMilliseconds
    /// The part of the limit's rate that is reached.
    case ofTheLimit
    /// The processor time of the busier side, over the limit's.
    case processorRatio
    /// Of one core.
    case processorPercent
    case residentMebibytes
    /// Blocks of memory asked for by one operation.
    case allocations
  }

  enum Bound: Sendable {
    case atMost(Double)
    case atLeast(Double)
  }

  let subject: CaseName
  let metric: Metric
  let bound: Bound
  /// The part of the bound by which it may be missed: shared machines vary.
  let margin: Double

  /// Every goal there is.
  static let all: [Goal] = ground + router + mesh + nodes

  private static let ground = [
    Goal(subject: .seal256, metric: .ratio, bound: .atMost(1.10), margin: 0.05),
    Goal(subject: .open256, metric: .ratio, bound: .atMost(1.10), margin: 0.05),
    Goal(subject: .crc32c, metric: .gigabytesPerSecond, bound: .atLeast(5), margin: 0.2),
    Goal(subject: .chunker, metric: .gigabytesPerSecond, bound: .atLeast(1.5), margin: 0.2),
    Goal(subject: .chunker, metric: .allocations, bound: .atMost(0), margin: 0),
  ]

  private static let router =
    [CaseName.routerCopy, .routerRelay, .routerDeliver].map {
      Goal(subject: $0, metric: .perSecond, bound: .atLeast(2_000_000), margin: 0.2)
    } + [Goal(subject: .routerCopy, metric: .allocations, bound: .atMost(0), margin: 0)]

  private static let mesh = [
    Goal(subject: .meshCopy, metric: .ratio, bound: .atMost(1.5), margin: 0.2),
    Goal(subject: .meshCopy, metric: .allocations, bound: .atMost(0), margin: 0),
    Goal(subject: .meshRelay, metric: .perSecond, bound: .atLeast(1_000_000), margin: 0.2),
  ]

  /// Several processes share the machine with whatever else it does, so the margins are wide.
  private static let nodes =
    [
      Goal(subject: .textReceipt, metric: .ratio, bound: .atMost(2), margin: 0.2),
      Goal(subject: .textReceipt, metric: .longestMilliseconds, bound: .atMost(20), margin: 1),
      Goal(subject: .idle, metric: .processorPercent, bound: .atMost(0.1), margin: 0.5),
      Goal(subject: .idle, metric: .residentMebibytes, bound: .atMost(20), margin: 0),
    ]
    + [CaseName.confirmed1, .confirmed16, .confirmed256].map {
      Goal(subject: $0, metric: .ofTheLimit, bound: .atLeast(0.8), margin: 0.2)
    }
}

extension Goal {
  /// How a measurement stands to a goal.
  struct Verdict: Sendable {
    let goal: Goal
    let measured: Double?
    let isMet: Bool
    /// Off by more than the margin.
    let isMissed: Bool
    let excuse: String?
  }

  func judge(_ measurement: Measurement) -> Verdict {
    let measured = measurement[metric]
    // A figure that is not there, or that is none, is a miss: a goal is never passed over.
    func holds(_ margin: Double) -> Bool {
      guard let measured else { return false }
      return switch bound {
      case .atMost(let value): measured <= value * (1 + margin)
      case .atLeast(let value): measured >= value * (1 - margin)
      }
    }
    let excused = measurement.excuse != nil
    return Verdict(
      goal: self, measured: measured, isMet: holds(0), isMissed: !excused && !holds(margin),
      excuse: measurement.excuse)
  }
}
