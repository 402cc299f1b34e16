internal import CEchoKernel
internal import Glibc

/// 4,096 taps in partitions, learning in the frequency domain.
///
/// A partitioned-block NLMS (Soo and Pang, "Multidelay block frequency domain adaptive filter",
/// IEEE Transactions on ASSP 38(2), 1990) whose step is chosen for each partition and bin: the
/// residual echo that the model's own uncertainty lets expect, over that plus the error heard. While
/// the filter knows nothing that comes to a normalised step of 0.5, and no more; the better it is, or
/// the louder somebody talks, the less it learns. The uncertainty is kept as in a Kalman filter whose
/// covariance is diagonal (Enzner and Vary, Signal Processing 86(6), 2006; Kuech et al., ICASSP
/// 2014).
final class AdaptiveFilter {
  /// Variance of a weight before anything was heard, in the first partition.
  static let unknown: Float = 0.03
  /// By how much less is expected of each partition than of the one before.
  static let decay: Float = 0.9
  /// Smoothing of the error's power from block to block.
  static let errorMemory: Float = 0.9
  /// Power of error per sample below which the step goes down anyway: -90 dB of full scale.
  ///
  /// Without it the filter blows up in bins in which the far end is silent.
  static let floor: Float = 1e-9

  /// Square of how much of the echo path stays from block to block.
  private let keep: Float
  let weightsReal = Samples(Block.partitions * Block.stride)
  let weightsImaginary = Samples(Block.partitions * Block.stride)
  private let variance = Samples(Block.partitions * Block.stride)
  private let errorPower = Samples(Block.stride)
  private let errorReal = Samples(Block.stride)
  private let errorImaginary = Samples(Block.stride)
  private let inverse = Samples(Block.stride)
  private let time = Samples(Block.transform)
  private let other = Samples(Block.transform)
  private let moved = Samples(Block.transform)
  private var firstConstrained = 0
  /// The residual echo's expected power, bin by bin.
  let expected = Samples(Block.stride)
  /// What the last block's microphone was more than the estimate.
  let error = Samples(Block.size)
  private(set) var errorEnergy: Float = 0

  init(keeping transition: Float) {
    keep = transition * transition
    forget()
  }

  func forget() {
    for samples in [weightsReal, weightsImaginary, errorPower, expected, error] { samples.clear() }
    firstConstrained = 0
    errorEnergy = 0
    for partition in 0..<Block.partitions { openVariance(partition) }
  }

  private func openVariance(_ partition: Int) {
    let open = Self.unknown * powf(Self.decay, Float(partition))
    (variance.base + partition * Block.stride).update(repeating: open, count: Block.stride)
  }

  /// Takes over what another filter knows; what it does not know only where that is asked for.
  func copy(_ other: AdaptiveFilter, withVariance: Bool) {
    weightsReal.copy(other.weightsReal)
    weightsImaginary.copy(other.weightsImaginary)
    errorPower.copy(other.errorPower)
    if withVariance { variance.copy(other.variance) }
  }

  /// The filter now begins `shift` blocks later.
  private func move(by shift: Int) {
    for place in 0..<Block.partitions {
      let partition = shift > 0 ? place : Block.partitions - 1 - place
      let source = partition + shift
      copyPartition(weightsReal, source, to: partition)
      copyPartition(weightsImaginary, source, to: partition)
      copyPartition(variance, source, to: partition)
      if !(0..<Block.partitions).contains(source) { openVariance(partition) }
    }
  }

  /// Copies a partition, or zeros where there is none.
  private func copyPartition(_ samples: Samples, _ source: Int, to partition: Int) {
    let target = samples.base + partition * Block.stride
    if (0..<Block.partitions).contains(source) {
      target.update(from: samples.base + source * Block.stride, count: Block.stride)
    } else {
      target.update(repeating: 0, count: Block.stride)
    }
  }

  /// What is known may be wrong: it is learnt anew, from where it stands.
  func doubt() {
    for partition in 0..<Block.partitions { openVariance(partition) }
  }

  /// The filter now begins `samples` later.
  func move(bySamples samples: Int, _ fourier: Fourier) {
    let blocks = samples / Block.size
    if blocks != 0 { move(by: blocks) }
    movePart(samples - blocks * Block.size, fourier)
  }

  /// The same for fewer samples than a block has.
  ///
  /// What stood in the last taps of a partition comes to stand in the next one.
  private func movePart(_ samples: Int, _ fourier: Fourier) {
    guard samples != 0, abs(samples) < Block.size else { return }
    let scale = 1 / Float(Block.transform)
    let carried = abs(samples)
    for step in 0..<Block.partitions {
      // In the order in which each takes what its neighbour still has.
      let partition = samples > 0 ? step : Block.partitions - 1 - step
      let neighbour = samples > 0 ? partition + 1 : partition - 1
      response(partition, time, fourier)
      if (0..<Block.partitions).contains(neighbour) {
        response(neighbour, other, fourier)
      } else {
        other.clear()
      }
      let kept = Block.size - carried
      if samples > 0 {
        moved.base.update(from: time.base + carried, count: kept)
        (moved.base + kept).update(from: other.base, count: carried)
      } else {
        moved.base.update(from: other.base + kept, count: carried)
        (moved.base + carried).update(from: time.base, count: kept)
      }
      for place in 0..<Block.size { moved.base[place] *= scale }
      let offset = partition * Block.stride
      fourier.transform(moved.base, weightsReal.base + offset, weightsImaginary.base + offset)
    }
  }

  private func response(_ partition: Int, _ result: Samples, _ fourier: Fourier) {
    let offset = partition * Block.stride
    fourier.restore(weightsReal.base + offset, weightsImaginary.base + offset, result.base)
  }

  /// Filters the far end from `base` blocks ago on, and subtracts that from the microphone.
  func estimate(
    _ far: FarSpectra, base: Int, _ microphone: UnsafePointer<Float>, _ fourier: Fourier
  ) {
    errorReal.clear()
    errorImaginary.clear()
    for partition in 0..<Block.partitions {
      let spectrum = far[base + partition]
      let offset = partition * Block.stride
      airlink_echo_accumulate(
        errorReal.base, errorImaginary.base, spectrum.real, spectrum.imaginary,
        weightsReal.base + offset, weightsImaginary.base + offset, Int32(Block.stride))
    }
    fourier.restore(errorReal.base, errorImaginary.base, time.base)
    let scale = 1 / Float(Block.transform)
    for place in 0..<Block.size {
      error.base[place] = microphone[place] - time.base[Block.size + place] * scale
    }
    errorEnergy = Kernel.energy(error.base, Block.size)
  }

  /// Learns from the error that `estimate` left.
  func learn(_ far: FarSpectra, base: Int, _ fourier: Fourier, _ batch: ConstraintBatch) {
    time.base.update(repeating: 0, count: Block.size)
    (time.base + Block.size).update(from: error.base, count: Block.size)
    fourier.transform(time.base, errorReal.base, errorImaginary.base)
    expected.clear()
    for partition in 0..<Block.partitions {
      airlink_echo_predict(
        expected.base, variance.base + partition * Block.stride, far[base + partition].power,
        Int32(Block.stride))
    }
    let floor = Self.floor * Float(Block.transform * Block.transform)
    for bin in 0..<Block.bins {
      let (re, im) = (errorReal.base[bin], errorImaginary.base[bin])
      let power =
        Self.errorMemory * errorPower.base[bin]
        + (1 - Self.errorMemory) * (re * re + im * im)
      errorPower.base[bin] = power
      // Half a block of the transform is zero, so it holds half of the power.
      inverse.base[bin] = 1 / (0.5 * expected.base[bin] + power + floor)
    }
    for partition in 0..<Block.partitions {
      let spectrum = far[base + partition]
      let offset = partition * Block.stride
      airlink_echo_learn(
        weightsReal.base + offset, weightsImaginary.base + offset, variance.base + offset,
        spectrum.real, spectrum.imaginary, spectrum.power, errorReal.base, errorImaginary.base,
        inverse.base, keep, Int32(Block.stride))
    }
    firstConstrained = batch.constrain(weightsReal, weightsImaginary, from: firstConstrained)
  }
}

extension Samples {
  func copy(_ other: Samples) { base.update(from: other.base, count: min(count, other.count)) }
}
