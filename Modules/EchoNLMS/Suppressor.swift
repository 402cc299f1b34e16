internal import Glibc

/// Turns down, bin by bin, what the filter left of the echo.
///
/// A Wiener gain on the residual echo's expected power, with the prior signal-to-echo ratio directed
/// by the decision before (Ephraim and Malah, IEEE Transactions on ASSP 32(6), 1984): firm while
/// nothing but echo is heard, gentle while somebody talks at the near end, and exactly open while the
/// far end is silent. In place of what is taken away, while nobody talks here, stands noise of the
/// room's level, so that the line does not seem to go dead. One block late.
final class Suppressor {
  /// Times the expected residual that is taken away: with echo alone, and with somebody talking.
  static let firm: Float = 8
  static let gentle: Float = 0.5
  /// The lowest gains.
  static let firmFloor: Float = 0.03
  static let gentleFloor: Float = 0.15
  /// The error's energy over that of the expected residual, below which there is echo alone and above
  /// which there is somebody.
  static let alone: Float = 1.8
  static let somebody: Float = 4
  /// What stays of the near talker's presence from block to block.
  static let release: Float = 0.97
  /// What stays of the echo in the room from block to block, beyond the filter's end.
  static let ringing: Float = 0.6
  /// The part of the filter's own expectation that counts.
  static let ownExpectation: Float = 0.5
  /// Weight of the decision before.
  static let direction: Float = 0.85

  private let window = Samples(Block.transform)
  private let edges: UnsafeMutablePointer<Int>
  private let residualTime = Samples(Block.transform)
  private let echoTime = Samples(Block.transform)
  private let time = Samples(Block.transform)
  private let overlap = Samples(Block.size)
  private let real = Samples(Block.stride)
  private let imaginary = Samples(Block.stride)
  private let echoReal = Samples(Block.stride)
  private let echoImaginary = Samples(Block.stride)
  private let power = Samples(Block.stride)
  private let echo = Samples(Block.stride)
  private let residual = Samples(Block.stride)
  private let leaked = Samples(Block.stride)
  private let gain = Samples(Block.stride)
  private let prior = Samples(Block.stride)
  private let noise = NoiseFloor()
  private let leakage = Leakage()
  private let comfort = ComfortNoise()
  /// Between 0, echo alone, and 1.
  private var presence: Float = 1

  init() {
    for place in 0..<Block.transform {
      window.base[place] = sinf(.pi * (Float(place) + 0.5) / Float(Block.transform))
    }
    edges = .allocate(capacity: Leakage.edges.count)
    for (place, edge) in Leakage.edges.enumerated() { edges[place] = edge }
  }

  deinit { edges.deallocate() }

  func forget() {
    for samples in [residualTime, echoTime, overlap, echo, prior] { samples.clear() }
    noise.forget()
    leakage.forget()
    comfort.forget()
    presence = 1
  }

  /// Takes a block of what the filter left and of the echo it found; gives the block before, turned
  /// down.
  func process(
    residual block: UnsafePointer<Float>, echo estimate: UnsafePointer<Float>,
    expected: UnsafePointer<Float>, isFarAudible: Bool, _ fourier: Fourier,
    output: UnsafeMutablePointer<Float>
  ) {
    spectrum(residualTime, block, real, imaginary, fourier)
    spectrum(echoTime, estimate, echoReal, echoImaginary, fourier)
    for bin in 0..<Block.bins {
      power.base[bin] = real.base[bin] * real.base[bin] + imaginary.base[bin] * imaginary.base[bin]
      let heard =
        echoReal.base[bin] * echoReal.base[bin] + echoImaginary.base[bin] * echoImaginary.base[bin]
      echo.base[bin] = max(heard, Self.ringing * echo.base[bin])
    }
    noise.note(power.base)
    if isFarAudible {
      expectResidual(expected)
      chooseGains()
    } else {
      echo.clear()
      prior.copy(power)
      gain.base.update(repeating: 1, count: Block.stride)
      presence = 1
    }
    take(fourier, output)
  }

  private func spectrum(
    _ memory: Samples, _ block: UnsafePointer<Float>, _ real: Samples, _ imaginary: Samples,
    _ fourier: Fourier
  ) {
    memory.base.update(from: memory.base + Block.size, count: Block.size)
    (memory.base + Block.size).update(from: block, count: Block.size)
    for place in 0..<Block.transform {
      time.base[place] = memory.base[place] * window.base[place]
    }
    fourier.transform(time.base, real.base, imaginary.base)
  }

  /// The residual echo's power by bin, and with it whether somebody talks.
  private func expectResidual(_ expected: UnsafePointer<Float>) {
    leakage.note(
      edges, residual: power.base, estimate: echo.base, noise: noise.power.base)
    var (heard, awaited): (Float, Float) = (0, 0)
    for band in 0..<Leakage.bands {
      let share = leakage.share.base[band]
      for bin in edges[band]..<edges[band + 1] {
        let leak = share * echo.base[bin]
        let power = max(leak, Self.ownExpectation * expected[bin])
        leaked.base[bin] = leak
        residual.base[bin] = power
        awaited += power
        heard += max(0, self.power.base[bin] - noise.power.base[bin])
      }
    }
    let ratio = heard / (awaited + 1e-12)
    let seen = max(0, min(1, (ratio - Self.alone) / (Self.somebody - Self.alone)))
    presence = seen > presence ? seen : Self.release * presence + (1 - Self.release) * seen
  }

  private func chooseGains() {
    let (firm, gentle) = (Self.firm * (1 - presence), Self.gentle * presence)
    let floor = Self.firmFloor + (Self.gentleFloor - Self.firmFloor) * presence
    for bin in 0..<Block.bins {
      // What the filter expects of itself is a guess at first: somebody who talks is not to pay for it.
      let taken = firm * residual.base[bin] + gentle * leaked.base[bin]
      guard taken > 0 else {
        gain.base[bin] = 1
        prior.base[bin] = power.base[bin]
        continue
      }
      let now = max(0, power.base[bin] / taken - 1)
      let ratio = Self.direction * prior.base[bin] / taken + (1 - Self.direction) * now
      let wiener = ratio.isFinite ? ratio / (1 + ratio) : 1
      gain.base[bin] = max(floor, wiener)
      prior.base[bin] = wiener * wiener * power.base[bin]
    }
  }

  /// Takes what the gains leave out away from the block: where they are 1, exactly nothing.
  private func take(_ fourier: Fourier, _ output: UnsafeMutablePointer<Float>) {
    for bin in 0..<Block.bins {
      let cut = 1 - gain.base[bin]
      var (re, im) = (real.base[bin] * cut, imaginary.base[bin] * cut)
      if cut > 0 {
        let left = 1 - gain.base[bin] * gain.base[bin]
        // Who talks is heard over it: noise would only be in the way.
        let level = (1 - presence) * (noise.power.base[bin] * left).squareRoot()
        let added = comfort.next(level)
        re -= added.real
        im -= added.imaginary
      }
      echoReal.base[bin] = re
      echoImaginary.base[bin] = im
    }
    fourier.restore(echoReal.base, echoImaginary.base, time.base)
    let scale = 1 / Float(Block.transform)
    for place in 0..<Block.size {
      let next = Block.size + place
      let taken = overlap.base[place] + time.base[place] * window.base[place] * scale
      output[place] = residualTime.base[place] - taken
      overlap.base[place] = time.base[next] * window.base[next] * scale
    }
  }
}
