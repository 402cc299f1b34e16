internal import CEchoKernel

/// Finds how late the echo comes.
///
/// The cross-correlation of far end and microphone, for each of the last half second's blocks, over
/// the far end's power: a crude response of the room, in which the straight way stands out. (The
/// generalised cross-correlation of Knapp and Carter, IEEE Transactions on ASSP 24(4), 1976, with
/// Roth's weighting, partition by partition.) Two blocks are looked at in each turn.
final class DelayFinder {
  /// Smoothing from block to block, about half a second.
  static let memory: Float = 0.98
  /// How far the highest peak has to stand out over those of the other blocks.
  static let prominence: Float = 4
  /// Samples that two findings may be apart to count as one.
  static let tolerance = 48
  /// Findings in a row that count.
  static let agreement = 2
  static let searchedInTurn = 2
  /// What is left of what was correlated when the echo seems to have moved, and for how many turns
  /// how many blocks are searched then.
  static let doubted: Float = 0.1
  static let hurriedTurns = 50
  static let searchedInHurry = 5
  /// Bins of 300 to 4,000 Hz, where speech is.
  private static let low = 8
  private static let high = 80

  private let crossReal = Samples(Block.mostDelay * Block.stride)
  private let crossImaginary = Samples(Block.mostDelay * Block.stride)
  private let power = Samples(Block.stride)
  private let peaks = Samples(Block.mostDelay)
  private let places = Samples(Block.mostDelay)
  private let real = Samples(Block.stride)
  private let imaginary = Samples(Block.stride)
  private let time = Samples(Block.transform)
  private var searched = 0
  private var candidate = 0
  private var agreed = 0
  private var hurry = 0
  /// Samples; nil until something was found.
  private(set) var delay: Int?

  func forget() {
    for samples in [crossReal, crossImaginary, power, peaks, places] { samples.clear() }
    searched = 0
    candidate = 0
    agreed = 0
    hurry = 0
    delay = nil
  }

  /// The echo may have moved: what comes now counts for more than what was, and is looked at sooner.
  func doubt() {
    crossReal.scale(Self.doubted)
    crossImaginary.scale(Self.doubted)
    power.scale(Self.doubted)
    hurry = Self.hurriedTurns
  }

  /// The far end is read so many samples later now.
  ///
  /// What was correlated is no longer true; what was found is.
  func move(by samples: Int) {
    crossReal.clear()
    crossImaginary.clear()
    power.clear()
    peaks.clear()
    places.clear()
    searched = 0
    agreed = 0
    delay = delay.map { max(0, $0 - samples) }
  }

  /// The far end's blocks count from one later or earlier now.
  func renumber(by shift: Int) {
    shiftBlocks(crossReal, shift)
    shiftBlocks(crossImaginary, shift)
    searched = 0
    candidate += shift * Block.size
    delay = delay.map { max(0, $0 + shift * Block.size) }
  }

  private func shiftBlocks(_ samples: Samples, _ shift: Int) {
    let kept = samples.count - Block.stride
    if shift > 0 {
      (samples.base + Block.stride).update(from: samples.base, count: kept)
      samples.base.update(repeating: 0, count: Block.stride)
    } else {
      samples.base.update(from: samples.base + Block.stride, count: kept)
      (samples.base + kept).update(repeating: 0, count: Block.stride)
    }
  }

  /// Takes the microphone's spectrum (its block behind one of zeros) while the far end is audible.
  func note(_ far: FarSpectra, _ microphone: FarSpectra.Spectrum, _ fourier: Fourier) {
    let count = Int32(Self.high - Self.low)
    let newest = far[0]
    for bin in Self.low..<Self.high {
      power.base[bin] = Self.memory * power.base[bin] + (1 - Self.memory) * newest.power[bin]
    }
    for lag in 0..<Block.mostDelay {
      let spectrum = far[lag]
      let offset = lag * Block.stride + Self.low
      airlink_echo_correlate(
        crossReal.base + offset, crossImaginary.base + offset, spectrum.real + Self.low,
        spectrum.imaginary + Self.low, microphone.real + Self.low, microphone.imaginary + Self.low,
        Self.memory, count)
    }
    hurry = max(0, hurry - 1)
    for _ in 0..<(hurry > 0 ? Self.searchedInHurry : Self.searchedInTurn) {
      search(searched, fourier)
      searched += 1
      if searched == Block.mostDelay {
        searched = 0
        judge()
      }
    }
  }

  /// Finds the highest peak of one block of the response.
  private func search(_ lag: Int, _ fourier: Fourier) {
    let offset = lag * Block.stride
    for bin in Self.low..<Self.high {
      let weight = 1 / (power.base[bin] + 1e-7 * Float(Block.size))
      real.base[bin] = crossReal.base[offset + bin] * weight
      imaginary.base[bin] = crossImaginary.base[offset + bin] * weight
    }
    fourier.restore(real.base, imaginary.base, time.base)
    var best = 0
    for place in 0..<Block.size where abs(time.base[place]) > abs(time.base[best]) { best = place }
    peaks.base[lag] = abs(time.base[best])
    places.base[lag] = Float(best)
  }

  private func judge() {
    var best = 0
    var sum: Float = 0
    for lag in 0..<Block.mostDelay {
      sum += peaks.base[lag]
      if peaks.base[lag] > peaks.base[best] { best = lag }
    }
    guard peaks.base[best] > Self.prominence * sum / Float(Block.mostDelay) else {
      agreed = 0
      return
    }
    let found = best * Block.size + Int(places.base[best])
    agreed = abs(found - candidate) < Self.tolerance ? agreed + 1 : 1
    candidate = found
    if agreed >= Self.agreement { delay = found }
  }
}
