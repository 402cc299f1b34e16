/// Finds how far two sound cards' clocks are apart, and by how much one has to be resampled so that
/// both streams keep step.
///
/// It looks at the *phase*: by how many samples playing is ahead of recording, as both cards' delays
/// tell. Such figures wander by some milliseconds, above all those of sound servers, so the phase is
/// smoothed, and a change counts only once it is larger than that; over the time it took, it then
/// says what the drift is. 500 millionths are found within a quarter of a minute, 20 within five, and
/// two streams of one clock are left alone. (A frequency-locked loop: to pull the phase back, too,
/// would move the echo under the canceller that has learned it.)
///
/// A phase that jumps is no drift: what is held begins anew there. A value without a clock:
/// measurements come `measurementsPerSecond` times a second.
public struct DriftController: Sendable {
  public static let measurementsPerSecond = 50
  /// Measurements whose mean is the phase to begin with.
  static let settling = 50
  /// The most that is corrected, in millionths: no card that works is further off.
  public static let mostPpm = 1_000.0
  /// Samples that a phase may wander without a drift: 6 ms.
  static let wander = 144.0
  /// Samples by which a phase has jumped, 10 ms, and measurements in a row after which it has.
  static let jump = 240.0
  static let jumpCount = 15
  /// Samples that the phase may be off, 15 ms, before the streams are aligned anew.
  static let mostPhase = 360.0
  /// Measurements over which a phase is smoothed.
  static let smoothing = 50.0

  /// Seconds within which no card's drift takes a phase further than `mostPpm` does: what does is
  /// the delay of a sound server that settles.
  static let glance = 5
  /// How long that is given to settle, in measurements: 10 s.
  static let rest = 500

  private let sampleRate: Double
  /// Measurements since the phase was last to be found, and their sum while it is.
  private var count = 0
  private var sum = 0.0
  /// The phase that the streams were aligned by; nil until it is known.
  private var held: Double?
  private var smoothed = 0.0
  private var jumped = 0
  /// The phase from which on a drift is looked for, and the measurements since.
  private var reference = 0.0
  private var since = 0
  /// The smoothed phase of each of the last seconds.
  private var recent: [Double] = []
  /// Measurements for which no drift is looked for.
  private var unsettled = 0

  /// By how many millionths the recording clock runs faster than the playing one.
  ///
  /// What is recorded has to be made that much shorter.
  public private(set) var ppm = 0.0

  /// What to do with the phase that is held.
  public enum Outcome: Hashable, Sendable {
    /// Go on.
    case steady
    /// From here on this phase is held: the streams are new, or one has jumped.
    case align(phase: Double)
  }

  public init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// How many samples the phase is off what the streams were aligned by, smoothed.
  public var phaseError: Double { held.map { smoothed - $0 } ?? 0 }

  /// Takes in a measurement: samples played less samples recorded, as of one moment.
  public mutating func note(phase: Double) -> Outcome {
    guard phase.isFinite else { return .steady }
    guard held != nil else { return find(phase) }
    jumped = abs(phase - smoothed) < Self.jump ? 0 : jumped + 1
    guard jumped < Self.jumpCount else {
      restart()
      return find(phase)
    }
    // One that is far off alone is a hiccup of somebody's clock.
    guard jumped == 0 else { return .steady }
    smoothed += (phase - smoothed) / Self.smoothing
    since += 1
    if isSettled() { followDrift() }
    guard abs(phaseError) > Self.mostPhase else { return .steady }
    held = smoothed
    return .align(phase: smoothed)
  }

  private mutating func find(_ phase: Double) -> Outcome {
    count += 1
    sum += phase
    guard count == Self.settling else { return count == 1 ? .align(phase: phase) : .steady }
    let mean = sum / Double(count)
    (held, smoothed, reference, since) = (mean, mean, mean, 0)
    recent = [mean]
    return .align(phase: mean)
  }

  private mutating func isSettled() -> Bool {
    let most = Self.mostPpm / 1e6 * sampleRate * Double(Self.glance)
    if recent.contains(where: { abs(smoothed - $0) > most }) {
      unsettled = Self.rest
      recent = [smoothed]
    } else if since % Self.measurementsPerSecond == 0 {
      if recent.count == Self.glance { recent.removeFirst() }
      recent.append(smoothed)
    }
    guard unsettled > 0 else { return true }
    unsettled -= 1
    reference = smoothed
    since = 0
    return false
  }

  private mutating func followDrift() {
    let change = smoothed - reference
    guard abs(change) > Self.wander else { return }
    let seconds = Double(since) / Double(Self.measurementsPerSecond)
    // A recording clock that is fast lets the phase fall.
    ppm -= change / seconds / sampleRate * 1e6
    ppm = max(-Self.mostPpm, min(Self.mostPpm, ppm))
    (reference, since) = (smoothed, 0)
  }

  /// Forgets the phase; the drift, which is the cards' own, is kept.
  public mutating func restart() { (count, sum, held, jumped) = (0, 0, nil, 0) }
}
