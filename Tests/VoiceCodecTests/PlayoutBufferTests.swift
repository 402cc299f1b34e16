import Testing
import VoiceCodec
import Wire

/// A stream of numbered frames over a road of the test's making, played every 20 ms.
private struct Playback {
  static let frame: Duration = .milliseconds(20)

  var buffer = PlayoutBuffer()
  var now = Instant.zero + .seconds(100)
  private var sent: UInt32 = 0
  private var arriving: [(at: Instant, sequence: UInt32, bytes: [UInt8])] = []
  private(set) var played: [UInt32] = []
  private(set) var out: [Playout] = []
  /// How long each played frame had been under way and waiting.
  private(set) var ages: [Duration] = []

  static func bytes(_ sequence: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: sequence)
    return bytes
  }

  /// Sends and plays for a time; `road` says how long a frame is under way, or that it is lost.
  mutating func run(_ duration: Duration, _ road: (UInt32) -> Duration?) {
    let end = now + duration
    while now < end {
      if let delay = road(sent) { arriving.append((now + delay, sent, Self.bytes(sent))) }
      sent += 1
      now = now + Self.frame
      let here = arriving.filter { $0.at <= now }.sorted { $0.at < $1.at }
      arriving.removeAll { $0.at <= now }
      for frame in here { buffer.put(frame.sequence, frame.bytes, at: frame.at) }
      let next = buffer.take(at: now)
      out.append(next)
      if case .frame(let bytes) = next {
        let sequence = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        played.append(sequence)
        let spoken = Instant.zero + .seconds(100) + Self.frame * Int(sequence)
        ages.append(now - spoken)
      }
    }
  }

  func age(ofLast count: Int) -> Duration { ages.suffix(count).max() ?? .zero }
}

@Suite("PlayoutBuffer") struct PlayoutBufferTests {
  @Test("plays everything in order with little delay on an even road")
  func even() {
    var playback = Playback()
    playback.run(.seconds(10)) { _ in .milliseconds(5) }
    #expect(zip(playback.played, playback.played.dropFirst()).allSatisfy { $0 + 1 == $1 })
    #expect(playback.played.count > 490)
    #expect(playback.age(ofLast: 400) <= .milliseconds(80))
    let counts = playback.buffer.takeCounts()
    #expect(counts.lost == 0 && counts.late == 0)
  }

  @Test(
    "plays nothing twice and nothing out of order, whatever the road does",
    arguments: 1...8 as ClosedRange<UInt64>)
  func order(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var playback = Playback()
    for _ in 0..<40 {
      let loss = Double.random(in: 0...0.4, using: &random)
      let jitter = Int.random(in: 1...400, using: &random)
      playback.run(.milliseconds(Int.random(in: 20...2_000, using: &random))) { _ in
        Double.random(in: 0..<1, using: &random) < loss
          ? nil : .milliseconds(Int.random(in: 0..<jitter, using: &random))
      }
    }
    #expect(
      zip(playback.played, playback.played.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
    #expect(playback.played.count > 100, "seed \(seed)")
  }

  @Test("waits for jitter, and no longer: 50 ms cost 3 % of the frames at the most, and 120 ms")
  func jitter() {
    var random = SplitMix64(seed: 5)
    var playback = Playback()
    playback.run(.seconds(5)) { _ in .milliseconds(Int.random(in: 0...50, using: &random)) }
    _ = playback.buffer.takeCounts()
    playback.run(.seconds(20)) { _ in .milliseconds(Int.random(in: 0...50, using: &random)) }
    let counts = playback.buffer.takeCounts()
    #expect(counts.lost * 100 <= counts.due * 3, "\(counts)")
    #expect(playback.age(ofLast: 900) <= .milliseconds(120))
    #expect(playback.buffer.delay >= .milliseconds(40))
  }

  @Test("gives the delay back when the jitter is over")
  func calm() {
    var random = SplitMix64(seed: 6)
    var playback = Playback()
    playback.run(.seconds(5)) { _ in .milliseconds(Int.random(in: 0...150, using: &random)) }
    let before = playback.age(ofLast: 50)
    playback.run(.seconds(8)) { _ in .milliseconds(5) }
    #expect(before > .milliseconds(120))
    #expect(playback.age(ofLast: 50) <= .milliseconds(80))
  }

  @Test(
    "after a stall the delay is back within 60 ms of normal in 5 s, and the burst is not played late",
    arguments: [100, 300, 1_000, 1_900, 4_000])
  func stall(_ milliseconds: Int) {
    var playback = Playback()
    playback.run(.seconds(5)) { _ in .milliseconds(5) }
    let normal = playback.age(ofLast: 100)
    // Everything said meanwhile comes at once when it is over.
    let first = UInt32(250)
    let count = UInt32(milliseconds / 20)
    playback.run(.milliseconds(milliseconds)) { sequence in
      Playback.frame * Int(first + count - sequence) + .milliseconds(5)
    }
    let before = playback.ages.count
    playback.run(.seconds(1)) { _ in .milliseconds(5) }
    #expect(playback.ages[before...].allSatisfy { $0 <= normal + .milliseconds(260) })
    playback.run(.seconds(4)) { _ in .milliseconds(5) }
    #expect(playback.age(ofLast: 25) <= normal + .milliseconds(60))
    playback.run(.seconds(1)) { _ in .milliseconds(5) }
    #expect(playback.out.suffix(50).allSatisfy { if case .frame = $0 { true } else { false } })
  }

  @Test("a road that becomes a longer one is followed", arguments: [100, 500, 3_000])
  func longer(_ milliseconds: Int) {
    var playback = Playback()
    playback.run(.seconds(5)) { _ in .milliseconds(5) }
    playback.run(.seconds(10)) { _ in .milliseconds(milliseconds) }
    #expect(playback.out.suffix(50).allSatisfy { if case .frame = $0 { true } else { false } })
    #expect(playback.age(ofLast: 50) <= .milliseconds(milliseconds + 120))
  }

  @Test("one lost frame is brought back by the next; a run of them is filled in")
  func loss() {
    var playback = Playback()
    playback.run(.seconds(2)) { sequence in
      sequence == 50 || (70...73).contains(sequence) ? nil : .milliseconds(5)
    }
    let counts = playback.buffer.takeCounts()
    #expect(counts.lost == 5 && counts.recovered == 2)
    #expect(playback.out.contains(.recover(from: Playback.bytes(51))))
    #expect(playback.out.contains(.recover(from: Playback.bytes(74))))
    #expect(!playback.played.contains(50))
  }

  @Test("clocks that drift apart cost no more than a frame now and then", arguments: [-200, 200])
  func drift(_ partsPerMillion: Int) {
    var playback = Playback()
    playback.run(.seconds(120)) { sequence in
      .milliseconds(100) + .microseconds(Int(sequence) * 20 * partsPerMillion / 1_000)
    }
    let counts = playback.buffer.takeCounts()
    #expect(counts.lost + counts.leftOut + counts.filledIn + counts.late <= 12, "\(counts)")
  }

  @Test("silence before the first frame, and after the last")
  func silence() {
    var buffer = PlayoutBuffer()
    #expect(buffer.take(at: .zero) == .silence)
    var playback = Playback()
    playback.run(.seconds(1)) { _ in .milliseconds(5) }
    playback.run(.seconds(5)) { _ in nil }
    #expect(playback.out.last == .silence)
  }

  @Test("frames that stand for no sound end the stream; the next sound begins it anew")
  func filler() {
    var buffer = PlayoutBuffer()
    var now = Instant.zero + .seconds(10)
    for sequence: UInt32 in 0..<10 {
      buffer.put(sequence, [0x68], at: now)
      #expect(buffer.take(at: now) == .silence)
      now = now + .milliseconds(200)
    }
    var played = 0
    for sequence: UInt32 in 10..<60 {
      buffer.put(sequence, Playback.bytes(sequence), at: now)
      if case .frame = buffer.take(at: now) { played += 1 }
      now = now + .milliseconds(20)
    }
    #expect(played > 40)
    #expect(buffer.takeCounts().lost == 0)
  }

  @Test(
    "any sequence numbers are survived, and no more than 2 s wait",
    arguments: [0, 1, UInt32.max - 10, UInt32.max])
  func anySequence(_ start: UInt32) {
    var buffer = PlayoutBuffer()
    var random = SplitMix64(seed: UInt64(start) + 1)
    for step in 0..<3_000 {
      let now = Instant.zero + .milliseconds(20 * step)
      let sequence = step.isMultiple(of: 3) ? UInt32.random(in: 0...(.max), using: &random) : start
      buffer.put(sequence, [1, 2], at: now)
      _ = buffer.take(at: now)
    }
    let delay = buffer.delay
    #expect(delay < .seconds(100 * 365 * 24 * 3_600))
  }
}
