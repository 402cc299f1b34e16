internal import Glibc

/// Spectral values of a given size in arbitrary directions; the same ones after `forget`.
final class ComfortNoise {
  private static let directions = 256
  private let cosines = Samples(directions)
  private var state: UInt32 = 1

  init() {
    for place in 0..<Self.directions {
      cosines.base[place] = cosf(2 * .pi * Float(place) / Float(Self.directions))
    }
  }

  func forget() { state = 1 }

  func next(_ size: Float) -> (real: Float, imaginary: Float) {
    // Numerical Recipes' congruential generator: nobody is to be surprised by it, only soothed.
    state = state &* 1_664_525 &+ 1_013_904_223
    let place = Int(state >> 24)
    let quarter = (place + Self.directions / 4) % Self.directions
    return (size * cosines.base[place], size * cosines.base[quarter])
  }
}
