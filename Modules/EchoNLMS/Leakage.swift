/// How much of the echo's estimate is still in the residual, in each of a few bands.
///
/// The regression of the residual's changes in power on those of the estimate, which somebody who
/// talks at the near end does not follow (Valin, "On adjusting the learning rate in frequency domain
/// echo cancellation with double-talk", IEEE Transactions on Audio, Speech and Language Processing
/// 15(3), 2007; there for the step, for the whole band at once).
final class Leakage {
  static let powerMemory: Float = 0.9
  static let memory: Float = 0.01
  static let least: Float = 0.001
  /// Bins at which bands begin and end: 200 Hz, and from 1 kHz on a fifth of their frequency.
  static let edges: [Int] = {
    var edges = [0]
    while let last = edges.last, last < Block.bins {
      edges.append(min(Block.bins, last + max(4, last / 5)))
    }
    return edges
  }()
  static let bands = edges.count - 1

  private let residual = Samples(bands)
  private let estimate = Samples(bands)
  private let cross = Samples(bands)
  private let square = Samples(bands)
  /// By band, between `least` and 1.
  let share = Samples(bands)

  init() { forget() }

  func forget() {
    for samples in [residual, estimate] { samples.clear() }
    cross.base.update(repeating: 1e-3, count: Self.bands)
    square.base.update(repeating: 1e-3, count: Self.bands)
    share.base.update(repeating: 1, count: Self.bands)
  }

  func note(
    _ edges: UnsafePointer<Int>, residual powers: UnsafePointer<Float>,
    estimate echo: UnsafePointer<Float>, noise: UnsafePointer<Float>
  ) {
    for band in 0..<Self.bands {
      var (heard, expected): (Float, Float) = (0, 0)
      for bin in edges[band]..<edges[band + 1] {
        heard += powers[bin] - noise[bin]
        expected += echo[bin]
      }
      heard = max(0, heard)
      let heardChange = heard - residual.base[band]
      let expectedChange = expected - estimate.base[band]
      residual.base[band] += (1 - Self.powerMemory) * heardChange
      estimate.base[band] += (1 - Self.powerMemory) * expectedChange
      // Slower while there is more to hear than echo.
      let rate = Self.memory * min(1, 4 * expected / (heard + 1e-9))
      square.base[band] += rate * (expectedChange * expectedChange - square.base[band])
      cross.base[band] = max(
        Self.least * square.base[band],
        cross.base[band] + rate * (heardChange * expectedChange - cross.base[band]))
      share.base[band] = min(1, cross.base[band] / (square.base[band] + 1e-20))
    }
  }
}
