import Testing

@testable import VoiceCodec

@Suite("RepairChoice") struct RepairChoiceTests {
  /// Lets seconds pass in which so many of a hundred frames are lost, told of 20 ms at a time.
  private func run(_ choice: inout RepairChoice, seconds: Int, lossPercent: Int) -> [Bool] {
    var changes: [Bool] = []
    for frame in 0..<(seconds * 50) {
      if choice.note(due: 1, lost: frame % 100 < lossPercent ? 1 : 0) {
        changes.append(choice.isOn)
      }
    }
    return changes
  }

  @Test("a good road needs no repair, a bad one gets it within seconds, and loses it again")
  func follows() {
    var choice = RepairChoice()
    let changes = [(60, 2), (6, 20), (60, 20), (20, 0)].map {
      run(&choice, seconds: $0, lossPercent: $1)
    }
    #expect(changes == [[], [true], [], [false]])
  }

  @Test("between the two limits it stays as it is")
  func hysteresis() {
    var choice = RepairChoice()
    let changes = [(60, 4), (10, 20), (120, 4)].map {
      run(&choice, seconds: $0, lossPercent: $1)
    }
    #expect(changes == [[], [true], []])
  }

  @Test("one bad moment in a good call changes nothing")
  func moment() {
    var choice = RepairChoice()
    _ = run(&choice, seconds: 20, lossPercent: 0)
    let hasChanged = choice.note(due: 100, lost: 14)
    #expect(!hasChanged)
    let later = run(&choice, seconds: 20, lossPercent: 0)
    #expect(later.isEmpty)
  }

  @Test("nothing due says nothing")
  func nothing() {
    var choice = RepairChoice()
    let changes = [choice.note(due: 0, lost: 0), choice.note(due: -5, lost: -5)]
    #expect(changes == [false, false] && !choice.isOn)
  }
}
