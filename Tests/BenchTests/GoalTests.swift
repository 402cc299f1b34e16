import Testing

@testable import airlink_bench

@Suite struct GoalTests {
  private static func measurement(_ median: Double, limit: Double? = nil) -> Measurement {
    Measurement(
      subject: Distribution(nanoseconds: [median]),
      limit: limit.map { Distribution(nanoseconds: [$0]) }, bytes: 1_000)
  }

  @Test(
    "a ratio at or under its bound meets the goal, within the margin it is not missed",
    arguments: [(90.0, true, false), (110, true, false), (114, false, false), (117, false, true)])
  func atMost(median: Double, met: Bool, missed: Bool) {
    let goal = Goal(subject: .seal256, metric: .ratio, bound: .atMost(1.10), margin: 0.05)
    let verdict = goal.judge(Self.measurement(median, limit: 100))
    #expect(verdict.isMet == met)
    #expect(verdict.isMissed == missed)
    #expect(verdict.measured == median / 100)
  }

  @Test(
    "a rate at or over its bound meets the goal, within the margin it is not missed",
    arguments: [(100.0, true, false), (200, true, false), (240, false, false), (260, false, true)])
  func atLeast(median: Double, met: Bool, missed: Bool) {
    let goal = Goal(
      subject: .crc32c, metric: .gigabytesPerSecond, bound: .atLeast(5), margin: 0.2)
    let verdict = goal.judge(Self.measurement(median))
    #expect(verdict.isMet == met)
    #expect(verdict.isMissed == missed)
  }

  @Test("a goal for a figure that is not there is missed, not passed over")
  func noFigure() {
    let ratio = Goal(subject: .seal256, metric: .ratio, bound: .atMost(1.10), margin: 0.05)
    #expect(ratio.judge(Self.measurement(1)).isMissed)
    let share = Goal(subject: .seal256, metric: .ofTheLimit, bound: .atLeast(0), margin: 0)
    #expect(share.judge(Self.measurement(1, limit: 1)).isMissed)
    let nothing = Measurement(subject: Distribution(nanoseconds: []), limit: nil)
    let rate = Goal(subject: .seal256, metric: .perSecond, bound: .atLeast(1), margin: 0)
    #expect(rate.judge(nothing).isMissed)
  }

  @Test("where a goal does not hold it is not missed, and the reason is said")
  func excuse() {
    var measurement = Self.measurement(1_000)
    measurement.excuse = "no instruction here"
    let goal = Goal(subject: .crc32c, metric: .gigabytesPerSecond, bound: .atLeast(5), margin: 0)
    let verdict = goal.judge(measurement)
    #expect(!verdict.isMet && !verdict.isMissed)
    #expect(verdict.description.contains("no instruction here"))
  }

  @Test("percentiles are those of the nearest rank")
  func percentiles() {
    let distribution = Distribution(nanoseconds: (1...1_000).map { Double($0) }.shuffled())
    #expect(distribution.median == 500)
    #expect(distribution.p99 == 990)
    #expect(distribution.longest == 1_000)
    let one = Distribution(nanoseconds: [7])
    #expect(one.median == 7 && one.p99 == 7 && one.longest == 7)
  }

  @Test(
    "figures have about three digits",
    arguments: [
      (0.0, "0.00"), (0.004, "0.00"), (0.996, "1.00"), (1.05, "1.05"), (9.994, "9.99"),
      (10.04, "10.0"), (99.94, "99.9"), (123.4, "123"), (12_345, "12345"), (-1.5, "-1.50"),
      (.nan, "?"), (.infinity, "?"), (1e300, "?"),
    ])
  func figures(value: Double, text: String) {
    #expect(Figure.decimal(value) == text)
  }

  @Test("times carry the unit that suits them")
  func times() {
    #expect(Figure.time(25.66) == "  25.7 ns")
    #expect(Figure.time(79_829) == "  79.8 us")
    #expect(Figure.time(4_130_000) == "  4.13 ms")
    #expect(Figure.time(61e9) == "  61.0 s ")
    #expect(Figure.grouped(1_234_567.4) == "1,234,567")
    #expect(Figure.grouped(-1) == "?")
  }
}
