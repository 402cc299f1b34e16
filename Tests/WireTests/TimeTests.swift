import Testing
import Wire

@Suite struct TimeTests {
  private static let last = Timestamp(milliseconds: .max)

  @Test("a timestamp moves by whole milliseconds, either way")
  func advanced() {
    let time = Timestamp(milliseconds: 1_000)
    #expect(time.advanced(by: .milliseconds(5)).milliseconds == 1_005)
    #expect(time.advanced(by: .milliseconds(-5)).milliseconds == 995)
    #expect(time.advanced(by: .microseconds(999)) == time)
    #expect(time.advanced(by: .microseconds(-999)) == time)
    #expect(time.advanced(by: .zero) == time)
  }

  @Test("a timestamp stays at its ends")
  func saturation() {
    #expect(Timestamp.zero.advanced(by: .milliseconds(-1)) == .zero)
    #expect(Timestamp(milliseconds: 5).advanced(by: .milliseconds(-6)) == .zero)
    #expect(Self.last.advanced(by: .milliseconds(1)) == Self.last)
    #expect(Timestamp(milliseconds: .max - 1).advanced(by: .seconds(1)) == Self.last)
    #expect(Self.last.advanced(by: .seconds(Int64.max)) == Self.last)
    #expect(Timestamp.zero.advanced(by: .seconds(Int64.min)) == .zero)
    #expect(Self.last.advanced(by: .milliseconds(-1)).milliseconds == UInt64.max - 1)
  }

  @Test("how far two timestamps are apart is exact up to what a duration of milliseconds holds")
  func since() {
    let edges: [UInt64] = [0, 1, 999, 1 << 62, 1 << 63 - 1, 1 << 63, .max - 1, .max]
    for a in edges {
      for b in edges {
        let duration = Timestamp(milliseconds: a).since(Timestamp(milliseconds: b))
        let exact = a >= b ? a - b : b - a
        let size = Duration.milliseconds(Int64(clamping: exact))
        #expect(duration == (a >= b ? size : .zero - size), "\(a) since \(b)")
      }
    }
  }

  @Test(
    "a time moved by its distance to another is the other, however far", arguments: propertySeeds)
  func distance(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      // Half of all, so that the distance is one that a duration of milliseconds holds.
      let a = Timestamp(milliseconds: random.next() >> 1)
      let b = Timestamp(milliseconds: random.next() >> 1)
      #expect(a.advanced(by: b.since(a)) == b, "seed \(seed)")
    }
  }

  @Test("15 minutes and 6 hours can be judged next to the ends, where a sum would overflow")
  func nearTheEnds() {
    let now = Timestamp(milliseconds: 1_764_489_600_000)
    #expect(Self.last.since(now) > .seconds(900))
    #expect(Timestamp.zero.since(now) < .seconds(-6 * 3_600))
    #expect(now.since(now) == .zero)
  }

  @Test("an instant's sums stay at the ends")
  func instantSaturation() {
    let first = Instant(nanoseconds: .min)
    #expect(Instant.distantFuture + .nanoseconds(1) == .distantFuture)
    #expect(Instant.distantFuture + .seconds(Int64.max) == .distantFuture)
    #expect(Instant.zero + .seconds(Int64.max) == .distantFuture)
    #expect(Instant.zero + .seconds(Int64.min) == first)
    #expect(Instant.zero - .seconds(Int64.min) == .distantFuture)
    #expect(first - .nanoseconds(1) == first)
    #expect(first + .nanoseconds(-1) == first)
    #expect(Instant.distantFuture - .nanoseconds(-1) == .distantFuture)
    #expect(Instant.distantFuture - first == .nanoseconds(Int64.max))
    #expect(first - .distantFuture == .nanoseconds(Int64.min))
  }

  @Test("an instant's sums and differences are exact in between")
  func instantArithmetic() {
    let instant = Instant.zero + .seconds(3)
    #expect(instant.nanoseconds == 3_000_000_000)
    #expect(instant - .milliseconds(1) == Instant(nanoseconds: 2_999_000_000))
    #expect(instant - .zero == .seconds(3))
    #expect(Instant.zero - instant == .seconds(-3))
    #expect(Instant.zero < instant && instant < .distantFuture)
  }

  @Test("whole nanoseconds and milliseconds are cut towards zero and held within 64 bits")
  func wholeUnits() {
    #expect(Duration.seconds(2).wholeNanoseconds == 2_000_000_000)
    #expect(Duration.milliseconds(-1_500).wholeNanoseconds == -1_500_000_000)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 1).wholeNanoseconds == 0)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    #expect(Duration.nanoseconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.nanoseconds(Int64.min).wholeNanoseconds == .min)
    #expect(Duration.microseconds(1_999).wholeMilliseconds == 1)
    #expect(Duration.microseconds(-1_999).wholeMilliseconds == -1)
    #expect(Duration.milliseconds(Int64.max).wholeMilliseconds == .max)
    #expect(Duration.milliseconds(Int64.min).wholeMilliseconds == .min)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
  }
}
