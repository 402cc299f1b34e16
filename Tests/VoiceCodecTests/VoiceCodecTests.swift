import Testing
import Wire

@testable import VoiceCodec

/// Something like speech: a voice whose pitch and vowels change with each syllable, and pauses.
private func speech(seconds: Int, seed: UInt64) -> [[Int16]] {
  var random = SplitMix64(seed: seed)
  var phase = 0.0
  var pitch = 120.0
  var formants = [500.0, 1_500.0, 2_500.0]
  var isVoiced = true
  return (0..<(seconds * 50)).map { frame in
    if frame.isMultiple(of: 8) {
      pitch = Double.random(in: 90...220, using: &random)
      formants = [
        Double.random(in: 300...800, using: &random),
        Double.random(in: 900...2_200, using: &random), 2_600,
      ]
      isVoiced = Int.random(in: 0..<5, using: &random) > 0
    }
    return (0..<VoiceFormat.frameLength).map { _ in
      guard isVoiced else { return Int16.random(in: -30...30, using: &random) }
      phase += pitch / Double(VoiceFormat.sampleRateHz)
      var sample = 0.0
      for harmonic in 1...20 {
        let frequency = pitch * Double(harmonic)
        let gain = formants.reduce(0.02) {
          $0 + 1 / (1 + ((frequency - $1) / 150) * ((frequency - $1) / 150))
        }
        sample += gain * sine(phase * Double(harmonic))
      }
      return Int16(max(-32_000, min(32_000, sample * 3_000)))
    }
  }
}

/// The sine of a number of turns, by Bhaskara's formula: near enough for a voice.
private func sine(_ turns: Double) -> Double {
  let part = turns - turns.rounded(.down)
  let half = part < 0.5 ? part * 2 : part * 2 - 1
  let bow = half * (1 - half)
  return (part < 0.5 ? 1 : -1) * 16 * bow / (5 - 4 * bow)
}

private func energy(_ samples: [Int16]) -> Double {
  samples.reduce(0) { $0 + Double($1) * Double($1) }
}

private func distance(_ a: [Int16], _ b: [Int16]) -> Double {
  zip(a, b).reduce(0) { $0 + (Double($1.0) - Double($1.1)) * (Double($1.0) - Double($1.1)) }
}

@Suite("Opus") struct VoiceCodecTests {
  @Test("every frame has the same length, whoever speaks or keeps silent")
  func constant() throws {
    var encoder = try VoiceEncoder()
    var lengths: Set<Int> = []
    for isRepaired in [false, true, false] {
      try encoder.setRepair(isRepaired)
      for frame in speech(seconds: 2, seed: 1) { lengths.insert(try encoder.encode(frame).count) }
    }
    for _ in 0..<100 {
      lengths.insert(
        try encoder.encode([Int16](repeating: 0, count: VoiceFormat.frameLength)).count)
    }
    #expect(lengths == [60])
  }

  @Test("speech comes out as loud as it went in, and silence as silence")
  func loudness() throws {
    var encoder = try VoiceEncoder()
    var decoder = try VoiceDecoder()
    var energies = (before: 0.0, after: 0.0)
    for (index, frame) in speech(seconds: 4, seed: 2).enumerated() {
      let out = decoder.decode(try encoder.encode(frame))
      #expect(out.count == VoiceFormat.frameLength)
      guard index > 10 else { continue }
      energies.before += energy(frame)
      energies.after += energy(out)
    }
    #expect(energies.after > energies.before / 2 && energies.after < energies.before * 2)
    let silence = [Int16](repeating: 0, count: VoiceFormat.frameLength)
    var last: [Int16] = []
    for _ in 0..<100 { last = decoder.decode(try encoder.encode(silence)) }
    #expect(last.allSatisfy { abs($0) < 20 })
    let refused = decoder.refused
    #expect(refused == 0)
  }

  /// What is wrong with the lost frames, of the sound that no loss would have given, in percent.
  private func damage(
    _ frames: [[UInt8]], lossPercent: Int, seed: UInt64,
    _ fill: (inout VoiceDecoder, _ behind: [UInt8]) -> [Int16]
  ) throws -> Double {
    var random = SplitMix64(seed: seed)
    var whole = try VoiceDecoder()
    var lossy = try VoiceDecoder()
    var wrong = 0.0
    var all = 0.0
    var wasLost = false
    for index in 0..<(frames.count - 1) {
      let right = whole.decode(frames[index])
      // No two in a row: what brings the first one back is there.
      wasLost = !wasLost && Int.random(in: 0..<100, using: &random) < lossPercent
      let out = wasLost ? fill(&lossy, frames[index + 1]) : lossy.decode(frames[index])
      guard wasLost else { continue }
      wrong += distance(right, out)
      all += energy(right)
    }
    return 100 * wrong / all
  }

  @Test(
    "a lost frame is best brought back by the next one, worse by guessing, worst by nothing",
    arguments: [5, 20])
  func recovery(_ lossPercent: Int) throws {
    var encoder = try VoiceEncoder()
    try encoder.setRepair(true)
    let frames = try speech(seconds: 8, seed: 3).map { try encoder.encode($0) }
    let recovered = try damage(frames, lossPercent: lossPercent, seed: 3) { $0.recover(from: $1) }
    let concealed = try damage(frames, lossPercent: lossPercent, seed: 3) { decoder, _ in
      decoder.conceal()
    }
    let nothing = try damage(frames, lossPercent: lossPercent, seed: 3) { _, _ in
      [Int16](repeating: 0, count: VoiceFormat.frameLength)
    }
    #expect(abs(nothing - 100) < 0.001)
    #expect(recovered * 2 < concealed, "\(recovered) and \(concealed) % of the energy is wrong")
    #expect(recovered < 25, "\(recovered) % of the energy is wrong")
  }

  @Test("whatever comes for a frame, 20 ms of sound come of it")
  func hostile() throws {
    var decoder = try VoiceDecoder()
    var random = SplitMix64(seed: 4)
    for length in [0, 1, 2, 3, 59, 60, 61, 1_275, 1_276, 1_380] {
      for _ in 0..<100 {
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        let decoded = decoder.decode(bytes)
        let recovered = decoder.recover(from: bytes)
        #expect(decoded.count == VoiceFormat.frameLength)
        #expect(recovered.count == VoiceFormat.frameLength)
      }
    }
    let refused = decoder.refused
    #expect(refused >= 300)
  }

  @Test("the frame that stands for no sound is one of 20 ms")
  func filler() throws {
    var decoder = try VoiceDecoder()
    let sound = decoder.decode([0x68])
    #expect(sound.count == VoiceFormat.frameLength)
    let refused = decoder.refused
    #expect(refused == 0)
  }
}
