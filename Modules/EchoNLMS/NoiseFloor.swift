/// What is always there: the lowest power of each bin within the last one to two seconds (minimum
/// statistics, after Martin, IEEE Transactions on Speech and Audio Processing 9(5), 2001).
final class NoiseFloor {
  private static let memory: Float = 0.8
  /// Blocks after which the older half is forgotten: 0.75 s.
  private static let half = 75
  /// A minimum lies below the mean.
  private static let bias: Float = 1.5
  private let smoothed = Samples(Block.stride)
  private let lowest = Samples(Block.stride)
  private let recent = Samples(Block.stride)
  private var blocks = 0
  let power = Samples(Block.stride)

  func forget() {
    for samples in [smoothed, lowest, recent, power] { samples.clear() }
    blocks = 0
  }

  func note(_ powers: UnsafePointer<Float>) {
    blocks += 1
    let isTurn = blocks == Self.half
    if isTurn { blocks = 0 }
    for bin in 0..<Block.bins {
      let now = Self.memory * smoothed.base[bin] + (1 - Self.memory) * powers[bin]
      smoothed.base[bin] = now
      lowest.base[bin] = min(lowest.base[bin], now)
      recent.base[bin] = min(recent.base[bin], now)
      if isTurn {
        lowest.base[bin] = recent.base[bin]
        recent.base[bin] = now
      }
      power.base[bin] = Self.bias * lowest.base[bin]
    }
  }
}
