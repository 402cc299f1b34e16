internal import CKissFFT
internal import Glibc

/// Real transforms of a fixed length, through KissFFT, with real and imaginary parts apart.
final class Fourier {
  let length: Int
  /// Bins from 0 to the Nyquist frequency.
  let bins: Int
  private let forward: OpaquePointer
  private let inverse: OpaquePointer
  private let packed: UnsafeMutablePointer<kiss_fft_cpx>

  init(length: Int) {
    self.length = length
    bins = length / 2 + 1
    forward = kiss_fftr_alloc(Int32(length), 0, nil, nil)
    inverse = kiss_fftr_alloc(Int32(length), 1, nil, nil)
    packed = .allocate(capacity: bins)
    packed.initialize(repeating: kiss_fft_cpx(r: 0, i: 0), count: bins)
  }

  deinit {
    free(UnsafeMutableRawPointer(forward))
    free(UnsafeMutableRawPointer(inverse))
    packed.deallocate()
  }

  /// From `length` samples to `bins` pairs.
  func transform(
    _ time: UnsafePointer<Float>, _ real: UnsafeMutablePointer<Float>,
    _ imaginary: UnsafeMutablePointer<Float>
  ) {
    kiss_fftr(forward, time, packed)
    for bin in 0..<bins {
      real[bin] = packed[bin].r
      imaginary[bin] = packed[bin].i
    }
  }

  /// And back, `length` times too large.
  func restore(
    _ real: UnsafePointer<Float>, _ imaginary: UnsafePointer<Float>,
    _ time: UnsafeMutablePointer<Float>
  ) {
    for bin in 0..<bins { packed[bin] = kiss_fft_cpx(r: real[bin], i: imaginary[bin]) }
    packed[0].i = 0
    packed[bins - 1].i = 0
    kiss_fftri(inverse, packed, time)
  }
}
