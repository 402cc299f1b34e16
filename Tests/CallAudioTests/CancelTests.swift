import CommandLine
import EchoNLMS
import Foundation
import Testing

@testable import CallAudio

@Suite("callaudio cancel") struct CancelTests {
  /// Noise and its echo: 10 ms late, 6 dB softer.
  private func recording(_ bench: Bench, seconds: Int = 4) throws -> (far: String, mic: String) {
    var noise = Noise(seed: 1)
    let far = noise.samples(seconds * 24_000)
    let echo = [Int16](repeating: 0, count: 240) + far.dropLast(240).map { $0 / 2 }
    return (try bench.wav(far, "far.wav"), try bench.wav(echo, "mic.wav"))
  }

  @Test("echo is removed, and what was found is printed", arguments: EchoBackend.allCases)
  func cancels(backend: EchoBackend) throws {
    let bench = try Bench()
    let (far, mic) = try recording(bench)
    let result = bench.run(
      "--json", "cancel", "--far", far, "--mic", mic, "--out", bench.file("out.wav"), "--backend",
      backend.rawValue)
    #expect(result.code == .done && result.errors == "")
    let objects = result.objects
    #expect(
      objects.map { $0["event"] as? String } == [String?](repeating: "second", count: 4) + [
        "cancel"
      ])
    let last = try #require(objects.dropLast().last)
    #expect((last["echoRemovedDB"] as? Double ?? 0) > 20)
    let whole = try #require(objects.last)
    #expect(whole["seconds"] as? Double == 4)
    #expect(whole["resets"] as? Int == 0 && whole["off"] as? Bool == false)
    #expect((whole["processorPercent"] as? Double ?? 0) > 0)
    #expect(bench.samples("out.wav").count == 4 * 24_000)
  }

  @Test(
    "with a silent far end the near talker passes bit by bit",
    arguments: [EchoBackend.nlms, .nlmsPlain])
  func untouched(backend: EchoBackend) throws {
    let bench = try Bench()
    var noise = Noise(seed: 2)
    let near = noise.samples(50_123)
    let result = bench.run(
      "cancel", "--far", try bench.wav([Int16](repeating: 0, count: 60_000), "far.wav"), "--mic",
      try bench.wav(near, "mic.wav"), "--out", bench.file("out.wav"), "--backend", backend.rawValue)
    #expect(result.code == .done)
    #expect(bench.samples("out.wav") == near)
  }

  @Test(
    "a far end that is shorter, and one that is empty, are silent from there on",
    arguments: [0, 24_000])
  func shorter(length: Int) throws {
    let bench = try Bench()
    let (_, mic) = try recording(bench)
    var noise = Noise(seed: 3)
    let far = try bench.wav(noise.samples(length), "short.wav")
    let result = bench.run("cancel", "--far", far, "--mic", mic, "--out", bench.file("out.wav"))
    #expect(result.code == .done)
    #expect(bench.samples("out.wav").count == 4 * 24_000)
  }

  @Test("other rates and channels are read", arguments: [8_000, 16_000, 44_100, 48_000])
  func rates(rate: Int) throws {
    let bench = try Bench()
    var noise = Noise(seed: 4)
    let far = try bench.wav(noise.samples(2 * rate * 2), "far.wav", rate: UInt32(rate), channels: 2)
    let mic = try bench.wav(noise.samples(2 * rate), "mic.wav", rate: UInt32(rate))
    let result = bench.run("cancel", "--far", far, "--mic", mic, "--out", bench.file("out.wav"))
    #expect(result.code == .done)
    #expect(abs(bench.samples("out.wav").count - 48_000) <= 2)
  }

  @Test("full-scale noise and an empty recording have a result")
  func extremes() throws {
    let bench = try Bench()
    var noise = Noise(seed: 5)
    let loud = try bench.wav(noise.samples(48_000, amplitude: 32_767), "loud.wav")
    for backend in EchoBackend.allCases {
      let result = bench.run(
        "cancel", "--far", loud, "--mic", loud, "--out", bench.file("out.wav"), "--backend",
        backend.rawValue)
      #expect(result.code == .done && bench.samples("out.wav").count == 48_000)
    }
    let empty = try bench.wav([], "empty.wav")
    let result = bench.run(
      "--json", "cancel", "--far", loud, "--mic", empty, "--out", bench.file("none.wav"))
    #expect(result.code == .done)
    #expect(bench.bytes("none.wav")?.count == 44)
    #expect(result.objects.last?["seconds"] as? Double == 0)
  }

  @Test("what is no WAV file is named in one line, and the file that was there stays")
  func refusals() throws {
    let bench = try Bench()
    let good = try bench.wav([1, 2, 3], "good.wav")
    let bad = try bench.write(Array("no sound at all, just words".utf8), "bad.wav")
    try bench.write(Array("RIFF7".utf8), "out.wav")
    for (far, mic, words) in [
      (bad, good, "bad.wav': is no WAV file"), (good, bad, "bad.wav': is no WAV file"),
      (bench.file("none"), good, "No such file"),
    ] {
      let result = bench.run("cancel", "--far", far, "--mic", mic, "--out", bench.file("out.wav"))
      #expect(result.code == .failed)
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(bench.bytes("out.wav") == Array("RIFF7".utf8))
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: bench.path).sorted()
    #expect(left == ["bad.wav", "good.wav", "out.wav"])
  }

  @Test("the plot is well-formed XML with a line for what was found")
  func plots() throws {
    let bench = try Bench()
    let (far, mic) = try recording(bench)
    let result = bench.run(
      "cancel", "--far", far, "--mic", mic, "--out", bench.file("out.wav"), "--plot",
      bench.file("plot.svg"))
    #expect(result.code == .done)
    let svg = String(decoding: bench.bytes("plot.svg") ?? [], as: UTF8.self)
    #expect(svg.hasPrefix("<svg xmlns=") && svg.hasSuffix("</svg>\n"))
    #expect(svg.contains("echo removed (dB)") && svg.contains("#1565c0"))
    for element in ["svg", "text"] {
      #expect(svg.ranges(of: "<\(element) ").count == svg.ranges(of: "</\(element)>").count)
    }
  }

  @Test("one file in two roles is refused, and stays as it was")
  func sameFile() throws {
    let bench = try Bench()
    let (far, mic) = try recording(bench, seconds: 1)
    let before = bench.bytes("mic.wav")
    try FileManager.default.createSymbolicLink(
      atPath: bench.file("link.wav"), withDestinationPath: mic)
    for words in [
      ["--out", mic], ["--out", far], ["--out", bench.file("link.wav")],
      ["--out", bench.file("x"), "--plot", bench.file("x")],
      ["--out", bench.file("x"), "--plot", mic],
    ] {
      let result = bench.run(["cancel", "--far", far, "--mic", mic] + words)
      #expect(result.code == .usage, "\(words)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    #expect(bench.bytes("mic.wav") == before && bench.bytes("x") == nil)
    // A recording that is its own far end is only read.
    let result = bench.run("cancel", "--far", mic, "--mic", mic, "--out", bench.file("out.wav"))
    #expect(result.code == .done)
  }
}
