import Glibc
import Testing

@testable import EchoNLMS

@Suite("The far end at the microphone's pace") struct FarClockTests {
  private let clock = FarClock()
  private let block = Samples(Block.size)
  private let made = Samples(Block.size)

  /// Runs a tone of `frequency` parts of the sampling rate through, and gives all blocks made.
  private func run(blocks: Int, frequency: Double, moves: inout [Int]) -> [Float] {
    var result: [Float] = []
    for number in 0..<blocks {
      for place in 0..<Block.size {
        block.base[place] = Float(sin(2 * .pi * frequency * Double(number * Block.size + place)))
      }
      switch clock.take(block.base, canMoveEarlier: true, canMoveLater: true) {
      case .one: put(&result)
      case .none: moves.append(-1)
      case .two:
        put(&result, isFirstOfTwo: true)
        put(&result)
        moves.append(1)
      }
    }
    return result
  }

  private func put(_ result: inout [Float], isFirstOfTwo: Bool = false) {
    clock.make(made.base, isFirstOfTwo: isFirstOfTwo)
    for place in 0..<Block.size { result.append(made.base[place]) }
  }

  @Test("without drift it is as it was, to the bit")
  func untouched() {
    var moves: [Int] = []
    let result = run(blocks: 20, frequency: 0.05, moves: &moves)
    #expect(moves.isEmpty)
    #expect(
      result == (0..<20 * Block.size).map { Float(sin(2 * .pi * 0.05 * Double($0))) })
  }

  @Test(
    "a tone stays one tone, a little lower or higher, over blocks left out and put in",
    arguments: [-500e-6, -40e-6, 130e-6, 500e-6], [0.02, 0.13, 0.3])
  func tone(rate: Double, frequency: Double) {
    clock.correct(by: rate)
    var moves: [Int] = []
    let result = run(blocks: 4_500, frequency: frequency, moves: &moves)
    let turning = 2 * cos(2 * .pi * frequency * (1 - rate))
    var worst = 0.0
    // The first blocks reach back to before the tone.
    for place in 4 * Block.size..<result.count - 1 {
      let next = turning * Double(result[place]) - Double(result[place - 1])
      worst = max(worst, abs(next - Double(result[place + 1])))
    }
    #expect(worst < 4e-3)
    if abs(rate) == 500e-6 {
      #expect(moves.count { $0 == (rate > 0 ? 1 : -1) } >= 2)
    }
  }

  @Test("no clock is believed to be further off than cards are")
  func bounded() {
    clock.correct(by: 1)
    #expect(clock.rate == FarClock.mostRate)
    clock.correct(by: -2)
    #expect(clock.rate == -FarClock.mostRate)
  }

  @Test("where the filter can move no further the far end is read on")
  func ends() {
    for rate in [-500e-6, 500e-6] {
      let clock = FarClock()
      clock.correct(by: rate)
      for _ in 0..<5_000 {
        let turn = clock.take(block.base, canMoveEarlier: false, canMoveLater: false)
        #expect(turn == .one)
        clock.make(made.base)
      }
      #expect(clock.lateness >= Double(FarClock.reach - 1))
      #expect(clock.lateness <= Double(FarClock.reach + Block.size + 1))
    }
  }
}
