import CEchoKernel
import Foundation
import Testing

@testable import EchoNLMS

@Suite("transforms") struct TransformTests {
  /// The definition, in double precision.
  private func plain(_ time: [Float], bin: Int) -> (re: Double, im: Double) {
    time.enumerated().reduce(into: (0.0, 0.0)) { sum, item in
      let angle = 2 * Double.pi * Double(bin * item.offset % time.count) / Double(time.count)
      sum.0 += Double(item.element) * cos(angle)
      sum.1 -= Double(item.element) * sin(angle)
    }
  }

  @Test("the single transform is the definition's, there and back")
  func single() {
    var noise = Noise(seed: 20)
    let time = noise.samples(Block.transform, amplitude: 1)
    let fourier = Fourier(length: Block.transform)
    let (re, im) = (Samples(Block.stride), Samples(Block.stride))
    fourier.transform(time, re.base, im.base)
    for bin in 0..<Block.bins {
      let right = plain(time, bin: bin)
      #expect(abs(Double(re.base[bin]) - right.re) < 1e-4)
      #expect(abs(Double(im.base[bin]) - right.im) < 1e-4)
    }
    let back = Samples(Block.transform)
    fourier.restore(re.base, im.base, back.base)
    let worst = (0..<Block.transform).map {
      abs(back.base[$0] / Float(Block.transform) - time[$0])
    }.max()
    #expect((worst ?? 1) < 1e-5)
  }

  @Test("sixteen at once keep their first taps and lose the others", arguments: [480, 96, 50])
  func batch(length: Int) throws {
    let batch = try #require(airlink_echo_batch_create(Int32(length)))
    defer { airlink_echo_batch_free(batch) }
    let fourier = Fourier(length: length)
    var noise = Noise(seed: 21)
    let times = (0..<16).map { _ in noise.samples(length, amplitude: 1) }
    let real = (0..<16).map { _ in Samples(length / 2 + 1) }
    let imaginary = (0..<16).map { _ in Samples(length / 2 + 1) }
    for lane in 0..<16 {
      fourier.transform(times[lane], real[lane].base, imaginary[lane].base)
    }
    let taps = (0..<16).map { Int32($0 * length / 30) }
    airlink_echo_batch_constrain(
      batch, real.map(\.base), imaginary.map(\.base), taps)
    for lane in 0..<16 {
      let kept = times[lane].enumerated().map { $0.offset < Int(taps[lane]) ? $0.element : 0 }
      for bin in stride(from: 0, through: length / 2, by: 7) {
        let right = plain(kept, bin: bin)
        #expect(abs(Double(real[lane].base[bin]) - right.re) < 1e-4)
        #expect(abs(Double(imaginary[lane].base[bin]) - right.im) < 1e-4)
      }
    }
  }

  @Test(
    "lengths that are not made of 2, 3 and 5 are refused", arguments: [0, 1, 7, 14, -2, 1 << 22])
  func lengths(length: Int32) { #expect(airlink_echo_batch_create(length) == nil) }
}
