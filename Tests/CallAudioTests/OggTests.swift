import CommandLine
import Foundation
import Testing

@testable import CallAudio

@Suite("callaudio encode and decode") struct OggTests {
  /// A tone, softer and louder in turn.
  private func tone(_ count: Int, rate: Int = 24_000) -> [Int16] {
    (0..<count).map {
      Int16(8_000 * sin(Double($0) * 2 * .pi * 330 / Double(rate)))
    }
  }

  private func correlation(_ a: [Int16], _ b: [Int16]) -> Double {
    let (x, y) = (a.map(Double.init), b.map(Double.init))
    let products = zip(x, y).map(*).reduce(0, +)
    return products / (x.map { $0 * $0 }.reduce(0, +) * y.map { $0 * $0 }.reduce(0, +)).squareRoot()
  }

  @Test(
    "what was coded comes back, as long as it was and in its place",
    arguments: [0, 1, 479, 480, 481, 24_000, 50_123])
  func roundTrip(count: Int) throws {
    let bench = try Bench()
    let samples = tone(count)
    let wav = try bench.wav(samples, "in.wav")
    let coded = bench.run("encode", wav, bench.file("a.opus"))
    #expect(coded.code == .done && coded.errors == "" && coded.output == "")
    let decoded = bench.run("decode", bench.file("a.opus"), bench.file("out.wav"))
    #expect(decoded.code == .done && decoded.errors == "", "\(decoded.errors)")
    let back = bench.samples("out.wav")
    #expect(back.count == count)
    // Opus turns the phase of low tones; a place that is wrong by 1 ms gives 0.
    if count >= 24_000 { #expect(correlation(samples, back) > 0.85) }
  }

  @Test("the head is the one of RFC 7845")
  func head() throws {
    let bench = try Bench()
    let wav = try bench.wav(tone(4_410, rate: 44_100), "in.wav", rate: 44_100)
    #expect(bench.run("encode", wav, bench.file("a.opus")).code == .done)
    let bytes = try #require(bench.bytes("a.opus"))
    #expect(bytes.starts(with: Array("OggS".utf8)) && bytes[5] == 2)
    // The first page holds the head alone.
    #expect(bytes[26] == 1 && bytes[27] == 19)
    let head = Array(bytes[28..<47])
    #expect(head.starts(with: Array("OpusHead".utf8)) && head[8] == 1 && head[9] == 1)
    #expect(head[10] == 56 && head[11] == 1)  // 312 samples of 48 kHz
    #expect(Array(head[12..<16]) == [0x44, 0xAC, 0, 0] && head[18] == 0)
  }

  @Test("a file cut anywhere is decoded as far as it goes, or refused in one line")
  func cut() throws {
    let bench = try Bench()
    let wav = try bench.wav(tone(72_000), "in.wav")
    #expect(bench.run("encode", wav, bench.file("a.opus")).code == .done)
    let whole = try #require(bench.bytes("a.opus"))
    for length in stride(from: 0, to: whole.count, by: max(1, whole.count / 30)) {
      try bench.write(Array(whole.prefix(length)), "cut.opus")
      try bench.write(Array("RIFF2".utf8), "out.wav")
      let result = bench.run("decode", bench.file("cut.opus"), bench.file("out.wav"))
      #expect(result.errors.split(separator: "\n").count == 1, "cut to \(length)")
      if result.code == .done {
        #expect(result.errors.contains("cut short"))
        #expect(bench.samples("out.wav").count < 72_000)
      } else {
        #expect(bench.bytes("out.wav") == Array("RIFF2".utf8))
      }
    }
  }

  @Test("damage anywhere is survived", arguments: 1...6 as ClosedRange<UInt64>)
  func damaged(seed: UInt64) throws {
    let bench = try Bench()
    let wav = try bench.wav(tone(12_000), "in.wav")
    #expect(bench.run("encode", wav, bench.file("a.opus")).code == .done)
    let whole = try #require(bench.bytes("a.opus"))
    var noise = Noise(seed: seed)
    for _ in 0..<15 {
      var bytes = whole
      for place in noise.samples(6) {
        bytes[abs(Int(place)) * 17 % bytes.count] ^= UInt8(truncatingIfNeeded: place) | 1
      }
      try bench.write(bytes, "bad.opus")
      let result = bench.run("decode", bench.file("bad.opus"), bench.file("out.wav"))
      #expect(result.code == .done || result.code == .failed, "seed \(seed)")
    }
  }

  @Test("what is no Opus file is named, and the file that was there stays")
  func refusals() throws {
    let bench = try Bench()
    let wav = try bench.wav(tone(2_400), "in.wav")
    try bench.write(Array("words".utf8), "words")
    try bench.write([7], "out.wav")
    for (file, words) in [
      ("in.wav", "is no Ogg file"), ("words", "is no Ogg file"), ("none", "No such file"),
    ] {
      let result = bench.run("decode", bench.file(file), bench.file("out.wav"))
      #expect(result.code == .failed && result.errors.contains(words), "\(result.errors)")
    }
    #expect(bench.run("encode", bench.file("words"), bench.file("out.wav")).code == .failed)
    #expect(bench.bytes("out.wav") == [7])
    for command in ["encode", "decode", "simulate"] {
      #expect(bench.run(command, wav, wav).code == .usage)
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: bench.path).sorted()
    #expect(left == ["in.wav", "out.wav", "words"])
  }
}

@Suite("callaudio simulate and devices") struct SimulateTests {
  private func run(_ bench: Bench, _ words: String...) throws -> [String: Any] {
    let result = bench.run(
      ["--json", "simulate"] + words + [
        bench.file("in.wav"), bench.file("out.wav"),
      ])
    #expect(result.code == .done && result.errors == "")
    return try #require(result.objects.first)
  }

  @Test("a good road costs nothing, a bad one what it was told to, the same with the same seed")
  func roads() throws {
    let bench = try Bench()
    var noise = Noise(seed: 8)
    _ = try bench.wav(noise.samples(240_000, amplitude: 6_000), "in.wav")
    let good = try run(bench)
    #expect(good["lost"] as? Int == 0 && good["sent"] as? Int == 525)
    #expect(bench.samples("out.wav").count == 525 * 480)
    let bad = try run(bench, "--loss", "20", "--jitter", "50")
    let loss = try #require(bad["lossPercent"] as? Double)
    #expect((14...28).contains(loss))
    #expect(bad["recovered"] as? Int ?? 0 > 20)
    #expect(bad["bufferMs"] as? Double ?? 0 > good["bufferMs"] as? Double ?? 0)
    let first = bench.bytes("out.wav")
    let again = try run(bench, "--loss", "20", "--jitter", "50")
    #expect(again["lost"] as? Int == bad["lost"] as? Int && bench.bytes("out.wav") == first)
    _ = try run(bench, "--loss", "20", "--jitter", "50", "--seed", "2")
    #expect(bench.bytes("out.wav") != first)
    let gone = try run(bench, "--loss", "100")
    #expect(gone["due"] as? Int == 0 && gone["bufferMs"] is NSNull)
    #expect(bench.samples("out.wav").allSatisfy { $0 == 0 })
  }

  @Test("words for people say the same")
  func words() throws {
    let bench = try Bench()
    _ = try bench.wav([Int16](repeating: 0, count: 24_000), "in.wav")
    let result = bench.run("simulate", bench.file("in.wav"), bench.file("out.wav"))
    #expect(result.output.contains("0.0 % were not there in time"))
    #expect(bench.run("simulate", "--loss", "101", "a", "b").code == .usage)
    #expect(bench.run("simulate", "a").code == .usage)
  }

  @Test("devices are listed in words and as objects, also where there are none")
  func devices() throws {
    let bench = try Bench()
    #expect(bench.run("devices").code == .done)
    let result = bench.run("--json", "devices")
    #expect(result.code == .done)
    for object in result.objects {
      #expect(object["event"] as? String == "device" && object["name"] is String)
    }
  }
}
