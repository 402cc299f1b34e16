import EchoNLMS
import Foundation

/// How well a canceller did on a case, measured against what the case was made of.
struct EchoScore {
  /// dB of echo taken away over the last half, where nobody talks at the near end.
  var removed: Float = 0
  /// Seconds until 20 dB were reached over 0.4 s; nil: never.
  var reached: Float?
  /// dB, scale-invariant signal to distortion of the near talker, before and after.
  var before: Float = 0
  var after: Float = 0
  /// dB that the near talker lost.
  var loss: Float = 0

  init(_ made: EchoCase, _ canceller: any EchoCanceller) {
    let output = Self.run(made, canceller)
    let talking = Self.widened(Self.energies(made.near).map { $0 > 1e-6 })
    let sounding = Self.energies(made.echo).map { $0 > 1e-7 }
    let (input, left) = (Self.energies(made.microphone), Self.energies(output))
    let echoAlone = input.indices.filter { sounding[$0] && !talking[$0] }
    let late = echoAlone.filter { $0 >= input.count / 2 }
    removed = Self.decibels(late.map { input[$0] }, late.map { left[$0] })
    for place in stride(from: 20, through: echoAlone.count, by: 1) {
      let part = echoAlone[(place - 20)..<place]
      if Self.decibels(part.map { input[$0] }, part.map { left[$0] }) >= 20 {
        reached = Float(place - 10) * 0.02
        break
      }
    }
    let both = input.indices.filter { sounding[$0] && talking[$0] }
    let near = Self.picked(made.near, both)
    before = Self.likeness(Self.picked(made.microphone, both), near)
    after = Self.likeness(Self.picked(output, both), near)
    let nearAlone = input.indices.filter { !sounding[$0] && talking[$0] }
    loss = Self.decibels(nearAlone.map { input[$0] }, nearAlone.map { left[$0] })
  }

  private static func run(_ made: EchoCase, _ canceller: any EchoCanceller) -> [Float] {
    let late = canceller.addedDelay
    let silence = [Float](repeating: 0, count: 480)
    let far = made.far + silence
    let microphone = made.microphone + silence
    var output: [Float] = []
    for start in stride(from: 0, to: far.count, by: 480) {
      output += canceller.frame(
        far: Array(far[start..<start + 480]), near: Array(microphone[start..<start + 480]))
    }
    return Array(output[late..<(late + made.far.count)])
  }

  private static func energies(_ signal: [Float]) -> [Float] {
    stride(from: 0, to: signal.count - 479, by: 480).map { start in
      signal[start..<start + 480].reduce(0) { $0 + $1 * $1 } / 480
    }
  }

  private static func widened(_ marks: [Bool]) -> [Bool] {
    marks.indices.map { place in
      marks[max(0, place - 15)...min(marks.count - 1, place + 5)].contains(true)
    }
  }

  private static func picked(_ signal: [Float], _ frames: [Int]) -> [Float] {
    frames.flatMap { signal[($0 * 480)..<($0 * 480 + 480)] }
  }

  private static func decibels(_ a: [Float], _ b: [Float]) -> Float {
    10 * log10f((a.reduce(0, +) + 1e-12) / (b.reduce(0, +) + 1e-12))
  }

  private static func likeness(_ output: [Float], _ near: [Float]) -> Float {
    guard !near.isEmpty else { return 0 }
    let (own, with) = zip(output, near).reduce(into: (Float(0), Float(0))) {
      $0.0 += $1.1 * $1.1
      $0.1 += $1.0 * $1.1
    }
    let scale = with / own
    let wrong = zip(output, near).reduce(Float(0)) {
      let difference = $1.0 - scale * $1.1
      return $0 + difference * difference
    }
    return 10 * log10f(scale * scale * own / (wrong + 1e-12))
  }
}
