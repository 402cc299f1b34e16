import Testing
import Wire

@testable import Outbox

@Suite struct JitterTests {
  @Test("stays within the spread on both sides, and reaches far into it")
  func spread() {
    var jitter = Jitter(seed: 7)
    let drawn = (0..<10_000).map { _ in jitter.next(upTo: .milliseconds(7_500)) }
    #expect(drawn.allSatisfy { (.milliseconds(-7_500) ... .milliseconds(7_500)).contains($0) })
    #expect(drawn.contains { $0 < .milliseconds(-7_400) })
    #expect(drawn.contains { $0 > .milliseconds(7_400) })
  }

  @Test("the same seed draws the same, another seed does not")
  func seeded() {
    func draw(_ seed: UInt64) -> [Duration] {
      var jitter = Jitter(seed: seed)
      return (0..<8).map { _ in jitter.next(upTo: .seconds(30)) }
    }
    #expect(draw(1) == draw(1))
    #expect(draw(1) != draw(2))
  }

  @Test("no spread, no jitter")
  func none() {
    var jitter = Jitter(seed: 1)
    #expect(jitter.next(upTo: .zero) == .zero)
  }
}
