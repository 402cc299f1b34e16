internal import CEchoKernel

/// Keeps partitions to their own taps, sixteen at a time.
///
/// A product of spectra is a circular convolution, and what is learnt from it spills over into taps
/// that belong to no partition: those are set to zero. Two partitions of eighteen are left out in
/// turn, which does no harm (Valin's and Soo's "alternately constrained" form leaves out all but one).
final class ConstraintBatch {
  private let batch: OpaquePointer
  private let width = Int(airlink_echo_batch_width)
  private let real: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  private let imaginary: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  private let taps: UnsafeMutablePointer<Int32>

  init() {
    guard let made = airlink_echo_batch_create(Int32(Block.transform)) else {
      preconditionFailure("no memory for a transform of \(Block.transform) points")
    }
    batch = made
    real = .allocate(capacity: width)
    imaginary = .allocate(capacity: width)
    taps = .allocate(capacity: width)
    real.initialize(repeating: nil, count: width)
    imaginary.initialize(repeating: nil, count: width)
    taps.initialize(repeating: 0, count: width)
  }

  deinit {
    airlink_echo_batch_free(batch)
    real.deallocate()
    imaginary.deallocate()
    taps.deallocate()
  }

  /// Constrains as many as there is room for, from partition `first` on, and returns where the next
  /// turn begins.
  func constrain(_ weightsReal: Samples, _ weightsImaginary: Samples, from first: Int) -> Int {
    var partition = first
    for lane in 0..<width {
      real[lane] = weightsReal.base + partition * Block.stride
      imaginary[lane] = weightsImaginary.base + partition * Block.stride
      taps[lane] = Int32(
        partition == Block.partitions - 1 ? Block.lastTaps : Block.size)
      partition = partition == Block.partitions - 1 ? 0 : partition + 1
    }
    airlink_echo_batch_constrain(batch, real, imaginary, taps)
    return partition
  }
}
