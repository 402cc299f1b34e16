import Foundation
import TestSupport
import Testing

@testable import Sound

private func little(_ number: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian) { Array($0) }
}

private func chunk(_ name: String, _ body: [UInt8], length: UInt32? = nil) -> [UInt8] {
  Array(name.utf8) + little(length ?? UInt32(body.count)) + body
    + (body.count % 2 == 1 ? [0] : [])
}

private func format(
  tag: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 24_000, bits: UInt16 = 16,
  block: UInt16? = nil, more: [UInt8] = []
) -> [UInt8] {
  let block = block ?? channels &* (bits / 8)
  return chunk(
    "fmt ",
    little(tag) + little(channels) + little(rate) + little(rate &* UInt32(block)) + little(block)
      + little(bits) + more)
}

private func file(_ chunks: [UInt8]...) -> [UInt8] {
  let body = Array("WAVE".utf8) + chunks.flatMap { $0 }
  return Array("RIFF".utf8) + little(UInt32(body.count)) + body
}

private func read(_ bytes: [UInt8], atMost count: Int = 100) throws -> [Float] {
  let reader = try WAVReader(path: ScratchDirectory.shared(bytes))
  var samples = [Float](repeating: 0, count: count)
  let got = try samples.withUnsafeMutableBufferPointer {
    var room = $0.mutableSpan
    return try reader.read(into: &room)
  }
  return Array(samples[..<got])
}

extension ScratchDirectory {
  /// Writes a file that lives as long as it is being opened.
  fileprivate static func shared(_ bytes: [UInt8]) throws -> String {
    try folder.write(bytes, "\(UUID().uuidString).wav")
  }

  private static let folder: ScratchDirectory = {
    do { return try ScratchDirectory() } catch { preconditionFailure("\(error)") }
  }()
}

@Suite("WAV files, read") struct WAVReaderTests {
  @Test("samples of every kind come out at the same scale")
  func encodings() throws {
    let half: [([UInt8], UInt16, UInt16)] = [
      ([192], 1, 8), (little(Int16(16_384)), 1, 16), ([0, 0, 0x40], 1, 24),
      (little(Int32(1 << 30)), 1, 32), (little(Float(0.5).bitPattern), 3, 32),
    ]
    for (sample, tag, bits) in half {
      #expect(try read(file(format(tag: tag, bits: bits), chunk("data", sample))) == [0.5])
    }
    #expect(try read(file(format(bits: 24), chunk("data", [0, 0, 0x80]))) == [-1])
  }

  @Test("channels are mixed to one")
  func channels() throws {
    let stereo = file(
      format(channels: 2), chunk("data", little(Int16(16_384)) + little(Int16(-8_192))))
    #expect(try read(stereo) == [0.125])
  }

  @Test("the extensible form says its kind in a GUID")
  func extensible() throws {
    let more =
      little(UInt16(22)) + little(UInt16(16)) + little(UInt32(4)) + little(UInt16(1))
      + [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    let bytes = file(format(tag: 0xFFFE, more: more), chunk("data", little(Int16(-16_384))))
    #expect(try read(bytes) == [-0.5])
  }

  @Test("other chunks are passed over, with their padding")
  func otherChunks() throws {
    let bytes = file(
      chunk("LIST", [1, 2, 3]), format(), chunk("fact", [0, 0, 0, 0]),
      chunk("data", little(Int16(16_384))), chunk("LIST", [9, 9]))
    #expect(try read(bytes) == [0.5])
  }

  @Test("lengths that were never filled in, and files cut short, are read as far as they go")
  func cut() throws {
    let two = little(Int16(16_384)) + little(Int16(0))
    for length in [UInt32(0), .max, 0x7FFF_F000, 1_000] {
      #expect(try read(file(format(), chunk("data", two, length: length) + [7])) == [0.5, 0])
    }
    let whole = file(format(), chunk("data", two))
    for count in 0..<44 {
      #expect(throws: SoundError.self) { try read(Array(whole.prefix(count))) }
    }
  }

  @Test("floats without bound are held, and no numbers are silence")
  func wildFloats() throws {
    let wild: [Float] = [.nan, .infinity, -.infinity, 1e30, .signalingNaN, 0.25]
    let bytes = file(
      format(tag: 3, bits: 32), chunk("data", wild.flatMap { little($0.bitPattern) }))
    #expect(try read(bytes) == [0, 16, -16, 16, 0, 0.25])
  }

  @Test(
    "what cannot be read says why",
    arguments: [
      ("is no WAV file", Array("RIFX1234WAVE".utf8)),
      ("has no format", file()),
      ("has samples before their format", file(chunk("data", [0, 0]))),
      ("has no samples", file(format())),
      ("its samples are compressed (WAVE format 85), which is not read", file(format(tag: 85))),
      ("samples of 12 bits are not read", file(format(bits: 12))),
      ("it has 0 channels; 1 to 32 are read", file(format(channels: 0))),
      ("it has 65535 channels; 1 to 32 are read", file(format(channels: 65_535))),
      (
        "its sample rate is 0 Hz; 4000 to 384000 are read", file(format(rate: 0))
      ),
      ("its format contradicts itself", file(format(block: 1))),
      ("its format is cut short", file(chunk("fmt ", [1, 0]))),
      ("has a format of absurd length", file(chunk("fmt ", [], length: 4_000_000_000))),
    ])
  func refusals(reason: String, bytes: [UInt8]) throws {
    #expect(throws: SoundError(reason)) { try read(bytes) }
  }

  @Test("a file without end of chunks is given up")
  func manyChunks() throws {
    let bytes = file([UInt8]((0..<2_000).flatMap { _ in chunk("junk", []) }))
    #expect(throws: SoundError("has over 1000 chunks before its samples")) { try read(bytes) }
  }

  @Test("arbitrary damage never traps", arguments: 0..<4)
  func damage(seed: UInt64) throws {
    let whole = file(
      chunk("LIST", [1, 2, 3]), format(channels: 2),
      chunk("data", [UInt8](repeating: 5, count: 400)))
    var state = seed &* 0x9E37_79B9 &+ 1
    for _ in 0..<200 {
      var bytes = whole
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[Int(state >> 33) % 60] = UInt8(truncatingIfNeeded: state >> 25)
      }
      _ = try? read(bytes)
    }
  }
}

@Suite("WAV files, written") struct WAVWriterTests {
  @Test("what was written is read, and appears only when it is whole")
  func roundTrip() throws {
    let folder = try ScratchDirectory()
    let path = folder.path + "/out.wav"
    let writer = try WAVWriter(path: path, sampleRate: 24_000)
    let samples = (0..<70_000).map { Sample.float(Int16(truncatingIfNeeded: $0 &* 7_919)) }
    try writer.write(samples.span)
    #expect(!FileManager.default.fileExists(atPath: path))
    try writer.finish()
    let reader = try WAVReader(path: path)
    #expect(reader.format == WAVFormat(encoding: .signed16, channels: 1, sampleRate: 24_000))
    var got = [Float](repeating: 0, count: 80_000)
    let count = try got.withUnsafeMutableBufferPointer {
      var room = $0.mutableSpan
      return try reader.read(into: &room)
    }
    #expect(Array(got[..<count]) == samples)
  }

  @Test("given up, it leaves nothing, and what was there stays")
  func givenUp() throws {
    let folder = try ScratchDirectory()
    let before = Array("RIFF of before".utf8)
    let path = try folder.write(before, "out.wav")
    do {
      let writer = try WAVWriter(path: path, sampleRate: 24_000)
      try writer.write([Float](repeating: 0.5, count: 100_000).span)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.wav"])
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(before))
  }

  @Test("what is no sound is not written over", arguments: [[1], [1, 2, 3, 4, 5], [0x52, 0x49]])
  func others(bytes: [UInt8]) throws {
    let folder = try ScratchDirectory()
    let path = try folder.write(bytes, "identity")
    for isLive in [true, false] {
      #expect(throws: SoundError("is there already, and is no WAV file")) {
        try WAVWriter(path: path, sampleRate: 24_000, isLive: isLive)
      }
    }
    #expect(try folder.read("identity") == bytes)
    let empty = try folder.write([], "empty.wav")
    try WAVWriter(path: empty, sampleRate: 24_000).finish()
    #expect(try folder.read("empty.wav").count == 44)
  }

  @Test("a folder that is not there, and a folder in its place, are errors")
  func refusals() throws {
    let folder = try ScratchDirectory()
    #expect(throws: SoundError("No such file or directory")) {
      try WAVWriter(path: folder.path + "/none/out.wav", sampleRate: 24_000)
    }
    #expect(throws: SoundError("Is a directory")) {
      try WAVWriter(path: folder.path, sampleRate: 24_000)
    }
  }
}

@Suite("resampling") struct ResamplerTests {
  @Test("a tone keeps pitch, level, place and length", arguments: [8_000, 16_000, 44_100, 48_000])
  func tone(rate: Int) throws {
    let folder = try ScratchDirectory()
    let path = folder.path + "/tone.wav"
    let writer = try WAVWriter(path: path, sampleRate: rate)
    let tone = (0..<rate).map { Float(sin(2 * .pi * 440 * Double($0) / Double(rate))) / 2 }
    try writer.write(tone.span)
    try writer.finish()
    let file = try MonoFile(path: path, sampleRate: 24_000)
    var got = [Float](repeating: 0, count: 30_000)
    let count = try got.withUnsafeMutableBufferPointer {
      var room = $0.mutableSpan
      return try file.read(into: &room)
    }
    #expect(abs(count - 24_000) <= 2)
    let worst = (1_000..<23_000).map {
      abs(got[$0] - Float(sin(2 * .pi * 440 * Double($0) / 24_000)) / 2)
    }.max()
    #expect((worst ?? 1) < 0.005)
  }

  @Test("rates that no card has are refused")
  func rates() {
    #expect(throws: SoundError.self) { try Resampler(from: 0, to: 24_000) }
    #expect(throws: SoundError.self) { try Resampler(from: 24_000, to: 10_000_000) }
  }
}

@Suite("WAV files, live") struct LiveWAVTests {
  @Test("a file has its name from the start, and is whole up to its last second")
  func whole() throws {
    let folder = try ScratchDirectory()
    try folder.write(Array("RIFF of before".utf8), "live.wav")
    let writer = try WAVWriter(path: folder.file("live.wav"), sampleRate: 8_000, isLive: true)
    #expect(try folder.read("live.wav").count == 44)
    let tenth = [Float](repeating: 0.5, count: 800)
    for number in 1...25 {
      try writer.write(tenth.span)
      // As if the process were killed here.
      let bytes = try folder.read("live.wav")
      #expect(bytes.count == 44 + number / 10 * 16_000)
      let told = bytes[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
      #expect(told == bytes.count - 44)
    }
    try writer.finish()
    #expect(try folder.read("live.wav").count == 44 + 25 * 1_600)
    #expect(try read(folder.read("live.wav"), atMost: 30_000).count == 20_000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["live.wav"])
  }

  @Test("where it cannot be made, nothing is left")
  func refused() throws {
    let folder = try ScratchDirectory()
    try FileManager.default.createDirectory(
      atPath: folder.file("out.wav"), withIntermediateDirectories: false)
    #expect(throws: SoundError.self) {
      try WAVWriter(path: folder.file("out.wav"), sampleRate: 8_000, isLive: true)
    }
    #expect(throws: SoundError.self) {
      try WAVWriter(path: folder.file("none/out.wav"), sampleRate: 8_000, isLive: true)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.wav"])
  }
}
