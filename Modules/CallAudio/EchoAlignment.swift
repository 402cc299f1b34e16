internal import Sound
internal import SoundCard

/// Finds which of the samples that were played belong to those that the microphone heard.
///
/// Both cards tell how far they are; what was played at the moment at which the microphone heard is
/// the far end's part of the echo canceller's pair. It takes a little newer samples, so that the echo
/// comes after what it is the echo of, although the cards' figures are off by some milliseconds. The
/// same figures show how the cards' clocks drift apart.
struct EchoAlignment {
  /// How much newer: 20 ms.
  static let margin = 480
  /// Positions older than this, in nanoseconds, say nothing: 200 ms.
  static let stale: Int64 = 200_000_000
  /// Samples of a stream in a second.
  private static let rate = 24_000.0

  private var controller = DriftController(sampleRate: 24_000)
  private var generations: (Int, Int)?
  /// The number of the sample played that goes with the microphone's first; nil while unknown.
  private(set) var offset: Int?

  /// By how many millionths the microphone's clock is faster than the loudspeaker's.
  var driftPpm: Double { controller.ppm }

  /// Takes in what both cards say, as of `now` (nanoseconds of the monotonic clock).
  mutating func note(playback: CardReport, capture: CardReport, now: Int64) {
    if generations.map({ $0 != (playback.generation, capture.generation) }) ?? true {
      generations = (playback.generation, capture.generation)
      controller.restart()
    }
    guard let played = playback.position, let recorded = capture.position,
      now - played.at < Self.stale, now - recorded.at < Self.stale
    else { return }
    let heard =
      Double(recorded.samples) + recorded.delay + Double(now - recorded.at) / 1e9 * Self.rate
    let sounded = Double(played.samples) - played.delay + Double(now - played.at) / 1e9 * Self.rate
    switch controller.note(phase: sounded - heard) {
    case .steady: break
    case .align(let phase):
      guard abs(phase) < 1e15 else { return }
      offset = Int(phase) + Self.margin
    }
  }
}
