/// Finds how the clocks of loudspeaker and microphone drift apart.
///
/// Drift moves the whole response of the room, as the quick filter has it, by the same time from
/// moment to moment: the peak of the cross-correlation of its weights with those of half a second
/// ago says by how much, to a fraction of a sample. (As in the correlation of successive estimates of
/// Pawig, Enzner and Vary, IEEE Transactions on Signal Processing 58(1), 2010, which correct the
/// sampling rate the same way.) A talker or a changed room moves it this way and that, drift by the
/// same again and again: it counts once its mean stands out over its spread.
final class DriftFinder {
  /// Learnt blocks from one look to the next.
  static let interval = 50
  /// Looks that are remembered, and those needed before a finding.
  static let memory = 24
  static let fewest = 3
  /// How many standard errors the mean has to be away from nothing.
  static let certainty: Float = 3
  /// Samples of an interval under which it is not worth while: 2 millionths.
  static let least: Float = 0.025
  /// Samples of an interval that no clocks are apart.
  static let most = 8
  /// How much alike two looks must be, of 1.
  static let likeness: Float = 0.5
  /// Bins of 300 to 6,000 Hz.
  private static let low = 6
  private static let high = 120

  private let real = Samples(Block.partitions * Block.stride)
  private let imaginary = Samples(Block.partitions * Block.stride)
  private let crossReal = Samples(Block.stride)
  private let crossImaginary = Samples(Block.stride)
  private let time = Samples(Block.transform)
  private let shifts = Samples(memory)
  private var count = 0
  private var blocks = 0
  private var hasLook = false
  private var isSettling = false
  /// Looks since the beginning that said something.
  private(set) var looks = 0

  func forget() {
    count = 0
    looks = 0
    isSettling = false
    lookAway()
  }

  /// What was seen says nothing about what comes: the filter was moved.
  func lookAway() {
    blocks = 0
    hasLook = false
  }

  /// Takes note of a block that was learnt from.
  ///
  /// - Returns: by how much later from sample to sample the echo comes, where something was found.
  func note(_ filter: AdaptiveFilter, _ fourier: Fourier) -> Double? {
    blocks += 1
    guard blocks >= Self.interval else { return nil }
    blocks = 0
    let shift = hasLook ? shift(of: filter, fourier) : nil
    real.copy(filter.weightsReal)
    imaginary.copy(filter.weightsImaginary)
    hasLook = true
    guard let shift else { return nil }
    // The filter is still on its way to where the last finding put it.
    guard !isSettling else {
      isSettling = false
      return nil
    }
    looks += 1
    shifts.base[count % Self.memory] = shift
    count += 1
    return judge()
  }

  private func judge() -> Double? {
    let number = min(count, Self.memory)
    guard number >= Self.fewest else { return nil }
    var (sum, squares): (Float, Float) = (0, 0)
    for place in 0..<number {
      sum += shifts.base[place]
      squares += shifts.base[place] * shifts.base[place]
    }
    let mean = sum / Float(number)
    let variance = max(0, squares / Float(number) - mean * mean) / Float(number - 1)
    guard abs(mean) > Self.least, mean * mean > Self.certainty * Self.certainty * variance else {
      return nil
    }
    count = 0
    isSettling = true
    return Double(mean) / Double(Self.interval * Block.size)
  }

  /// By how many samples the response is later than at the last look; nil where it is another one.
  private func shift(of filter: AdaptiveFilter, _ fourier: Fourier) -> Float? {
    crossReal.clear()
    crossImaginary.clear()
    for partition in 0..<Block.partitions {
      let offset = partition * Block.stride
      for bin in Self.low..<Self.high {
        let (a, b) = (
          filter.weightsReal.base[offset + bin], filter.weightsImaginary.base[offset + bin]
        )
        let (c, d) = (real.base[offset + bin], imaginary.base[offset + bin])
        crossReal.base[bin] += a * c + b * d
        crossImaginary.base[bin] += b * c - a * d
      }
    }
    var whole: Float = 0
    for bin in Self.low..<Self.high {
      let (re, im) = (crossReal.base[bin], crossImaginary.base[bin])
      // Half white, so that the peak is narrow and no one bin decides.
      let size = (re * re + im * im).squareRoot().squareRoot()
      let weight = size > 0 ? 1 / size : 0
      crossReal.base[bin] = re * weight
      crossImaginary.base[bin] = im * weight
      whole += 2 * size
    }
    fourier.restore(crossReal.base, crossImaginary.base, time.base)
    func value(_ lag: Int) -> Float { time.base[lag < 0 ? lag + Block.transform : lag] }
    var best = 0
    for lag in -Self.most...Self.most where value(lag) > value(best) { best = lag }
    guard value(best) > Self.likeness * whole, abs(best) < Self.most else { return nil }
    let (before, peak, after) = (value(best - 1), value(best), value(best + 1))
    let bend = before - 2 * peak + after
    return Float(best) + (bend < 0 ? 0.5 * (before - after) / bend : 0)
  }
}
