/// The far end's last blocks as spectra, each over itself and the block before.
final class FarSpectra {
  private let time = Samples(Block.transform)
  private let real = Samples(Block.history * Block.stride)
  private let imaginary = Samples(Block.history * Block.stride)
  private let powers = Samples(Block.history * Block.stride)
  private var newest = 0

  /// The spectrum of the block that came `lag` blocks ago, and its power.
  struct Spectrum {
    let real: UnsafeMutablePointer<Float>
    let imaginary: UnsafeMutablePointer<Float>
    let power: UnsafeMutablePointer<Float>
  }

  subscript(lag: Int) -> Spectrum {
    var place = newest + lag
    if place >= Block.history { place -= Block.history }
    let offset = place * Block.stride
    return Spectrum(
      real: real.base + offset, imaginary: imaginary.base + offset, power: powers.base + offset)
  }

  func clear() {
    for samples in [time, real, imaginary, powers] { samples.clear() }
    newest = 0
  }

  func push(_ block: UnsafePointer<Float>, _ fourier: Fourier) {
    time.base.update(from: time.base + Block.size, count: Block.size)
    (time.base + Block.size).update(from: block, count: Block.size)
    newest = newest == 0 ? Block.history - 1 : newest - 1
    let spectrum = self[0]
    fourier.transform(time.base, spectrum.real, spectrum.imaginary)
    for bin in 0..<Block.bins {
      let (re, im) = (spectrum.real[bin], spectrum.imaginary[bin])
      spectrum.power[bin] = re * re + im * im
    }
  }
}
