import Testing

@testable import VoiceCodec

@Suite("Opus in files") struct OpusFileTests {
  @Test("a head comes out as it went in")
  func head() {
    let head = OpusHead(channels: 2, preSkip: 3_840, sampleRate: 44_100, gain: -256)
    #expect(head.bytes.count == 19 && OpusHead(head.bytes) == head)
    for length in 0..<19 { #expect(OpusHead(Array(head.bytes.prefix(length))) == nil) }
  }

  @Test(
    "what one decoder does not take is refused",
    arguments: [(8, 0x10), (9, 0), (9, 3), (18, 1), (18, 255), (0, 0)] as [(Int, UInt8)])
  func refused(place: Int, value: UInt8) {
    var bytes = OpusHead(preSkip: 312, sampleRate: 24_000).bytes
    bytes[place] = value
    #expect(OpusHead(bytes) == nil)
    // A later version that is still compatible, and the long form of one stream.
    bytes = OpusHead(preSkip: 312, sampleRate: 24_000).bytes
    bytes[8] = 2
    #expect(OpusHead(bytes) != nil)
    bytes[18] = 1
    #expect(OpusHead(bytes + [1, 0, 0]) != nil)
    #expect(OpusHead(bytes + [2, 0, 0]) == nil)
  }

  @Test(
    "frames of any kind are decoded, and nonsense is filled in",
    arguments: [
      [], [0xFF], [0xFF, 0xFF, 0xFF], [0x03], [UInt8](repeating: 0x80, count: 9_000),
    ] as [[UInt8]])
  func nonsense(bytes: [UInt8]) throws {
    var encoder = try VoiceEncoder()
    var decoder = try OpusStreamDecoder()
    let frame = try encoder.encode([Int16](repeating: 100, count: 480))
    #expect(decoder.decode(frame).count == 480)
    let filled = decoder.decode(bytes)
    #expect(!filled.isEmpty && filled.count <= OpusStreamDecoder.mostSamples)
    #expect(decoder.decode(frame).count == 480)
    #expect(encoder.lookahead == 156)
  }

  @Test("a gain makes it louder")
  func gain() throws {
    var encoder = try VoiceEncoder()
    var plain = try OpusStreamDecoder()
    var loud = try OpusStreamDecoder(gain: 6 * 256)
    var levels = (0.0, 0.0)
    for number in 0..<20 {
      let sound = (0..<480).map { Int16(($0 + number * 480) % 60 * 100 - 3_000) }
      let packet = try encoder.encode(sound)
      levels.0 = plain.decode(packet).reduce(0) { $0 + Double($1) * Double($1) }
      levels.1 = loud.decode(packet).reduce(0) { $0 + Double($1) * Double($1) }
    }
    #expect(levels.1 > levels.0 * 3.5 && levels.1 < levels.0 * 4.5)
  }
}
