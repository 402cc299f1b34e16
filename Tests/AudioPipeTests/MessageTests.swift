import Testing
import Wire

@testable import AudioPipe

@Suite("Messages between node and sound") struct MessageTests {
  static let toAudio: [NodeMessage] = [
    .frame(sequence: 0x0102_0304, opus: [9, 8, 7]), .frame(sequence: .max, opus: [1]),
    .frame(sequence: 0, opus: [UInt8](repeating: 5, count: 1_275)), .mute(true), .mute(false),
    .stop,
  ]

  static let toNode: [AudioMessage] = {
    var statistics = AudioStatistics()
    statistics.due = 100
    statistics.lost = 7
    statistics.recovered = 3
    statistics.late = 1
    statistics.adjusted = .max
    statistics.underruns = 2
    statistics.bufferMs = 60.5
    statistics.echoRemovedDB = -3.2
    statistics.inputDBFS = -20.1
    statistics.isMuted = true
    return [
      .ready(AudioReady(echo: .nlms, capture: "default", playback: "Köln")),
      .ready(AudioReady(echo: .off, capture: "", playback: "")),
      .frame([1]), .frame([UInt8](repeating: 3, count: 1_275)), .statistics(AudioStatistics()),
      .statistics(statistics), .ended(hasFailed: false, text: ""),
      .ended(hasFailed: true, text: "no device"),
    ] + AudioNotice.allCases.map { .notice($0, "what it is: \($0.code)") }
  }()

  @Test("a message comes out as it went in", arguments: toAudio)
  func roundTrip(message: NodeMessage) throws {
    #expect(try NodeMessage(bytes: message.bytes) == message)
  }

  @Test("and so does one of the other direction", arguments: toNode)
  func roundTrip(message: AudioMessage) throws {
    #expect(try AudioMessage(bytes: message.bytes) == message)
  }

  @Test("the layout is the one that is written down")
  func layout() {
    #expect(NodeMessage.frame(sequence: 0x0102_0304, opus: [9]).bytes == [1, 1, 2, 3, 4, 9])
    #expect(NodeMessage.mute(true).bytes == [2, 1] && NodeMessage.stop.bytes == [3])
    #expect(
      AudioMessage.ready(AudioReady(echo: .speex, capture: "a", playback: "bc")).bytes
        == [0x81, 3, 1, 97, 2, 98, 99])
    #expect(AudioMessage.frame([7, 8]).bytes == [0x82, 7, 8])
    #expect(AudioMessage.notice(.playbackBack, "x").bytes == [0x84, 0, 4, 120])
    #expect(AudioMessage.ended(hasFailed: true, text: "n").bytes == [0x85, 1, 110])
    var statistics = AudioStatistics()
    statistics.due = 1
    statistics.jitterMs = 1.6
    let bytes = AudioMessage.statistics(statistics).bytes
    #expect(bytes.count == 44)
    #expect(bytes[0..<5] == [0x83, 0, 0, 0, 1])
    #expect(bytes[25..<29] == [0, 16, 0x80, 0])
  }

  /// Every cut of a message that still is one: a shorter frame or text.
  @Test("a cut message is refused, at every length")
  func cuts() {
    for message in Self.toAudio {
      for length in 0..<message.bytes.count {
        let cut = try? NodeMessage(bytes: Array(message.bytes.prefix(length)))
        if case .frame(let sequence, let opus) = message, length > 5 {
          #expect(cut == .frame(sequence: sequence, opus: Array(opus.prefix(length - 5))))
        } else {
          #expect(cut == nil, "\(message) cut to \(length)")
        }
      }
    }
    for message in Self.toNode {
      for length in 0..<message.bytes.count {
        let cut = try? AudioMessage(bytes: Array(message.bytes.prefix(length)))
        switch message {
        case .frame(let opus) where length > 1: #expect(cut == .frame(Array(opus[..<(length - 1)])))
        case .notice(let notice, let text) where length >= 3:
          #expect(cut == .notice(notice, String(text.prefix(length - 3))))
        case .ended(let hasFailed, let text) where length >= 2:
          #expect(cut == .ended(hasFailed: hasFailed, text: String(text.prefix(length - 2))))
        default: #expect(cut == nil, "\(message) cut to \(length)")
        }
      }
    }
  }

  @Test("what is longer than a message is refused")
  func longer() {
    let long = [UInt8](repeating: 1, count: 1_276)
    #expect(throws: PipeError.malformed) { try NodeMessage(bytes: [1, 0, 0, 0, 0] + long) }
    #expect(throws: PipeError.malformed) { try AudioMessage(bytes: [0x82] + long) }
    #expect(throws: PipeError.malformed) { try AudioMessage(bytes: [0x84, 0, 1] + long) }
    #expect(throws: PipeError.malformed) { try NodeMessage(bytes: [3, 0]) }
    #expect(throws: PipeError.malformed) { try NodeMessage(bytes: [2, 1, 0]) }
    #expect(throws: PipeError.malformed) {
      try AudioMessage(bytes: AudioMessage.statistics(AudioStatistics()).bytes + [0])
    }
  }

  @Test(
    "values that there are not are refused",
    arguments: [
      [0x81, 4, 0, 0], [0x81, 0, 1, 0xFF, 0], [0x84, 0, 1, 0xC0], [0x85, 2], [0x85, 0, 0xED],
    ] as [[UInt8]])
  func values(bytes: [UInt8]) {
    #expect(throws: PipeError.malformed) { try AudioMessage(bytes: bytes) }
  }

  @Test("types and notices of later versions are told from what is broken")
  func unknown() {
    #expect(throws: PipeError.unknownType) { try NodeMessage(bytes: [0x81]) }
    #expect(throws: PipeError.unknownType) { try AudioMessage(bytes: [0x01, 2, 3]) }
    #expect(throws: PipeError.unknownType) { try AudioMessage(bytes: [0x84, 1, 0]) }
    #expect(throws: PipeError.malformed) { try NodeMessage(bytes: [2, 2]) }
    #expect(throws: PipeError.malformed) { try NodeMessage(bytes: []) }
  }

  @Test("texts are cut between characters, measures held within their range")
  func bounds() throws {
    let ready = AudioReady(echo: .off, capture: String(repeating: "é", count: 200), playback: "")
    let read = try AudioMessage(bytes: AudioMessage.ready(ready).bytes)
    let cut = AudioReady(echo: .off, capture: String(repeating: "é", count: 127), playback: "")
    #expect(read == .ready(cut))
    let text = String(repeating: "€", count: 90)
    #expect(
      try AudioMessage(bytes: AudioMessage.notice(.noDevice, text).bytes)
        == .notice(.noDevice, String(repeating: "€", count: 66)))
    var statistics = AudioStatistics()
    (statistics.bufferMs, statistics.driftPpm) = (1e9, -1e9)
    (statistics.inputDBFS, statistics.outputDBFS) = (.nan, -.infinity)
    guard
      case .statistics(let held) = try AudioMessage(
        bytes: AudioMessage.statistics(statistics).bytes)
    else { return #expect(Bool(false)) }
    #expect(held.bufferMs == 3276.7 && held.driftPpm == -3276.7)
    #expect(held.inputDBFS == nil && held.outputDBFS == -3276.7)
  }

  @Test("the loss is a share of what was due")
  func loss() {
    var statistics = AudioStatistics()
    #expect(statistics.lossPercent == 0)
    (statistics.due, statistics.lost) = (200, 5)
    #expect(statistics.lossPercent == 2.5)
  }

  @Test("random bytes never trap, and what is read is written the same way")
  func random() {
    let seed: UInt64 = 20_260_131
    var generator = SplitMix64(seed: seed)
    for _ in 0..<50_000 {
      let kinds: [UInt8] = [1, 2, 3, 0x81, 0x82, 0x83, 0x84, 0x85]
      var bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator) >> (Bool.random(using: &generator) ? 6 : 0)
      }
      if !bytes.isEmpty { bytes[0] = kinds.randomElement(using: &generator) ?? 0 }
      if let message = try? NodeMessage(bytes: bytes) {
        #expect(message.bytes == bytes, "seed \(seed)")
      }
      if let message = try? AudioMessage(bytes: bytes) {
        #expect(message.bytes == bytes, "seed \(seed)")
      }
    }
  }
}
