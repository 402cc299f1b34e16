internal import Glibc

/// The far end at the microphone's pace.
///
/// Two sound cards never count alike: some 20 to 300 millionths lie between them, and the echo comes
/// later and later, or sooner and sooner. Here the far end is read as much later from sample to
/// sample as was found, between samples by a windowed sinc, so that for the filter the echo stays
/// where it is. Once that has come to a block, the filter and all it looks at move by one: a block
/// more or none is made in that turn.
final class FarClock {
  /// Samples to either side that a value between samples is made from; how late the far end is read
  /// at least.
  static let reach = 8
  /// No sound cards are further apart, in parts of 1.
  static let mostRate = 500e-6
  private static let phases = 512
  private static let taps = 2 * reach

  /// What the next turn makes.
  enum Turn { case none, one, two }

  /// All that the filter can look at, and what lies beside it.
  private let history = Samples((Block.history + 4) * Block.size)
  private let kernel = Samples((phases + 1) * taps)
  /// How many samples late the far end is read: not at all until there is a reason.
  private(set) var lateness = 0.0
  /// By how many samples later from each sample to the next.
  private(set) var rate = 0.0

  init() {
    // A Kaiser window with a parameter of 7: 70 dB.
    let flat = Self.bessel(7)
    for phase in 0...Self.phases {
      let fraction = Double(phase) / Double(Self.phases)
      for tap in 0..<Self.taps {
        let distance = Double(tap - Self.reach + 1) - fraction
        let inside = 1 - (distance / Double(Self.reach)) * (distance / Double(Self.reach))
        let window = inside > 0 ? Self.bessel(7 * inside.squareRoot()) / flat : 0
        let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
        kernel.base[phase * Self.taps + tap] = Float(sinc * window)
      }
    }
  }

  /// The modified Bessel function of order 0.
  private static func bessel(_ value: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for step in 1...30 {
      term *= (value / 2 / Double(step)) * (value / 2 / Double(step))
      sum += term
    }
    return sum
  }

  func forget() {
    history.clear()
    lateness = 0
    rate = 0
  }

  /// The echo was found to come so much later from sample to sample than it is corrected for.
  func correct(by more: Double) {
    rate = max(-Self.mostRate, min(Self.mostRate, rate + more))
  }

  /// Takes the next block of the far end and says how many are to be made of it.
  ///
  /// The filter can move to an earlier or a later block where it is not at either end.
  func take(
    _ block: UnsafePointer<Float>, canMoveEarlier: Bool, canMoveLater: Bool
  ) -> Turn {
    let kept = history.count - Block.size
    history.base.update(from: history.base + Block.size, count: kept)
    (history.base + kept).update(from: block, count: Block.size)
    if rate == 0 { return .one }
    let (least, most) = (Double(Self.reach), Double(Self.reach + Block.size))
    let next = lateness + rate * Double(Block.size)
    if next < least {
      guard canMoveEarlier else {
        lateness = least
        return .one
      }
      lateness += Double(Block.size)
      return .none
    }
    if next > most {
      guard canMoveLater else {
        lateness = most - rate * Double(Block.size)
        return .one
      }
      return .two
    }
    return .one
  }

  /// Makes the next block; the second of two is behind the first.
  func make(_ result: UnsafeMutablePointer<Float>, isFirstOfTwo: Bool = false) {
    make(result, blocksAgo: 0)
    lateness += rate * Double(Block.size)
    if isFirstOfTwo { lateness -= Double(Block.size) }
  }

  /// Makes the block of so long ago as the newest one would be made.
  private func make(_ result: UnsafeMutablePointer<Float>, blocksAgo ago: Int) {
    let start = history.count - (ago + 1) * Block.size
    let lateness = lateness - rate * Double(ago * Block.size)
    if rate == 0, lateness == lateness.rounded() {
      result.update(from: history.base + start - Int(lateness), count: Block.size)
      return
    }
    for place in 0..<Block.size {
      let position = Double(start + place) - lateness - rate * Double(place)
      let whole = position.rounded(.down)
      let phase = Int(((position - whole) * Double(Self.phases)).rounded())
      result[place] = Kernel.dot(
        history.base + Int(whole) - Self.reach + 1, kernel.base + phase * Self.taps, Self.taps)
    }
  }

  /// Reads the far end so late from now on, as if it had been so all the time.
  func set(lateness samples: Int, _ far: FarSpectra, _ block: Samples, _ fourier: Fourier) {
    let least = rate == 0 ? 0 : Self.reach
    lateness = Double(max(least, min(Self.reach + Block.size, samples)))
    var ago = Block.history
    while ago >= 0 {
      make(block.base, blocksAgo: ago)
      far.push(block.base, fourier)
      ago -= 1
    }
    lateness += rate * Double(Block.size)
  }
}
