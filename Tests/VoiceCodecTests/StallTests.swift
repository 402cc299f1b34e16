import Testing
import Wire

@testable import VoiceCodec

@Suite("PlayoutBuffer: a process that stood still") struct StallTests {
  private static let frame = Duration.milliseconds(20)

  /// Frames come and are played for a time; what came in the last 2 s is told.
  ///
  /// The player stands still for `stall` frames; of those that come meanwhile `kept` wait for it and
  /// the others are lost. Then it makes up for at most 100 ticks, by their own moments.
  private func heard(stall: UInt32, kept: UInt32, pipeFirst: Bool) -> Int {
    var buffer = PlayoutBuffer()
    var now = Instant.zero
    var number: UInt32 = 0
    func put(_ sequence: UInt32) { buffer.put(sequence, [1, 2], at: now + .milliseconds(3)) }
    for _ in 0..<200 {
      put(number)
      number += 1
      now = now + Self.frame
      _ = buffer.take(at: now)
    }
    var moment = now
    now = now + Self.frame * Int(stall)
    let waiting = number..<(number + kept)
    number += stall
    func deliver() { for sequence in waiting { put(sequence) } }
    if pipeFirst { deliver() }
    for _ in 0..<min(stall, 100) {
      moment = moment + Self.frame
      _ = buffer.take(at: moment)
    }
    if !pipeFirst { deliver() }
    var played = 0
    for tick in 0..<500 {
      put(number)
      number += 1
      now = now + Self.frame
      if case .frame = buffer.take(at: now), tick >= 400 { played += 1 }
    }
    return played
  }

  @Test(
    "a player whose clock is ahead or behind hears everything", arguments: [-500, -95, 95, 500])
  func clocks(ahead: Int) {
    var buffer = PlayoutBuffer()
    var played = 0
    for number in 0..<500 as Range<UInt32> {
      let now = Instant.zero + .seconds(10) + Self.frame * Int(number)
      buffer.put(number, [1, 2], at: now)
      if case .frame = buffer.take(at: now + .milliseconds(ahead)) { played += 1 }
    }
    #expect(played > 440)
  }

  @Test(
    "is heard again within a few seconds, whatever was lost meanwhile",
    arguments: [25, 50, 75, 99, 100, 101, 150, 200, 450] as [UInt32], [true, false])
  func returns(stall: UInt32, pipeFirst: Bool) {
    for kept in [0, 1, 25, 43, min(stall, 90)] as [UInt32] where kept <= stall {
      #expect(
        heard(stall: stall, kept: kept, pipeFirst: pipeFirst) > 95,
        "\(stall) frames, \(kept) kept, the pipe first: \(pipeFirst)")
    }
  }
}
