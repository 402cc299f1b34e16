import Testing
import Wire

@testable import CallSignal

@Suite("ReplayWindow") struct ReplayWindowTests {
  @Test("a frame is had once, wherever it stands in the window")
  func once() {
    var window = ReplayWindow()
    for sequence: UInt32 in [100, 163, 101, 162, 130] {
      #expect(window.note(sequence) == .fresh)
      #expect(window.note(sequence) == .copy)
    }
    #expect(window.note(100) == .copy)
    #expect(window.newest == 163)
  }

  @Test("the window reaches back 63 frames and no further")
  func edge() {
    var window = ReplayWindow()
    _ = window.note(1_000)
    #expect(window.note(937) == .fresh)
    #expect(window.note(936) == .old)
  }

  @Test("a jump over the whole window forgets what was had", arguments: [64, 65, 4_000_000_000])
  func jump(_ step: UInt32) {
    var window = ReplayWindow()
    _ = window.note(5)
    #expect(window.note(5 + step) == .fresh)
    #expect(window.note(5) == .old)
    #expect(window.note(5 + step - 63) == .fresh)
    #expect(window.note(5 + step) == .copy)
  }

  @Test("a step of 63 keeps the one before in reach")
  func widest() {
    var window = ReplayWindow()
    _ = window.note(0)
    #expect(window.note(63) == .fresh)
    #expect(window.note(0) == .copy)
    #expect(window.note(64) == .fresh)
    #expect(window.note(0) == .old)
  }

  @Test("the first frame may have any sequence", arguments: [0, 1, UInt32.max])
  func first(_ sequence: UInt32) {
    var window = ReplayWindow()
    #expect(window.note(sequence) == .fresh)
    #expect(window.note(sequence) == .copy)
  }

  @Test("says the same as a memory of everything")
  func model() {
    let seed: UInt64 = 0xA1
    var random = SplitMix64(seed: seed)
    var window = ReplayWindow()
    var had: Set<UInt32> = []
    var newest: UInt32 = 0
    for step in 0..<20_000 {
      let around = Int64(newest) + Int64.random(in: -90...40, using: &random)
      let sequence = UInt32(max(0, around))
      let verdict = window.note(sequence)
      let expected: ReplayWindow.Verdict =
        !had.isEmpty && sequence < newest && newest - sequence >= 64
        ? .old : had.contains(sequence) ? .copy : .fresh
      #expect(verdict == expected, "seed \(seed), step \(step), sequence \(sequence)")
      if verdict == .fresh { had.insert(sequence) }
      newest = max(newest, sequence)
    }
  }
}
