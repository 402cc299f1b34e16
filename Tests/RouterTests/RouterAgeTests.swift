import Router
import Testing
import Wire

@Suite struct RouterAgeTests {
  private static let sixHours: Int64 = 6 * 3_600_000
  private static let quarterHour: Int64 = 15 * 60_000

  private func decision(_ packet: Packet, clock: Timestamp) -> Router.Decision {
    var test = TestRouter()
    test.wallClock = clock
    return test.receive(packet)
  }

  @Test("exactly six hours old passes, a millisecond more does not")
  func oldest() {
    let edge = Timestamp.noon.advanced(by: .milliseconds(-Self.sixHours))
    let past = Timestamp.noon.advanced(by: .milliseconds(-Self.sixHours - 1))
    for destination in [Fingerprint.own, .other] {
      #expect(
        decision(.sealed(1, to: destination, time: edge), clock: .noon)
          == (destination == .own ? .delivered : .relayed(4)))
      #expect(
        decision(.sealed(1, to: destination, time: past), clock: .noon) == .drop(.tooOld))
    }
    #expect(
      decision(.hello(1, time: edge), clock: .noon) == .accept(deliver: true, relayHopLimit: 1))
    #expect(decision(.voice(1, time: edge), clock: .noon) == .delivered)
    #expect(decision(.voice(1, time: past), clock: .noon) == .drop(.tooOld))
  }

  @Test("exactly fifteen minutes ahead passes, a millisecond more does not")
  func furthestAhead() {
    let edge = Timestamp.noon.advanced(by: .milliseconds(Self.quarterHour))
    let past = Timestamp.noon.advanced(by: .milliseconds(Self.quarterHour + 1))
    #expect(decision(.sealed(1, time: edge), clock: .noon) == .relayed(4))
    #expect(decision(.sealed(1, time: past), clock: .noon) == .drop(.tooFarAhead))
    #expect(decision(.voice(1, time: edge), clock: .noon) == .delivered)
    #expect(decision(.hello(1, time: past), clock: .noon) == .drop(.tooFarAhead))
  }

  static let extremes: [(time: UInt64, clock: UInt64, expected: Router.DropReason?)] = [
    (.max, 0, .tooFarAhead),
    (0, .max, .tooOld),
    (.max, .max, nil),
    (0, 0, nil),
    (.max - 21_600_000, .max, nil),
    (.max - 21_600_001, .max, .tooOld),
    (.max, .max - 900_000, nil),
    (.max, .max - 900_001, .tooFarAhead),
    (900_000, 0, nil),
    (900_001, 0, .tooFarAhead),
    (0, 21_600_000, nil),
    (0, 21_600_001, .tooOld),
    (1 << 63, 1 << 63 - 1, nil),
    (1 << 63 + 900_001, 1 << 63, .tooFarAhead),
  ]

  @Test("near both ends of 64 bits nothing overflows and the edges hold", arguments: extremes)
  func extreme(time: UInt64, clock: UInt64, expected: Router.DropReason?) {
    let decision = decision(
      .sealed(1, time: Timestamp(milliseconds: time)), clock: Timestamp(milliseconds: clock))
    #expect(decision == expected.map { .drop($0) } ?? .relayed(4))
  }

  @Test("what was dropped for its age is taken once the clock is put right")
  func clockPutRight() {
    var test = TestRouter()
    test.wallClock = Timestamp.noon.advanced(by: .seconds(-3_600))
    #expect(test.receive(.sealed(1)) == .drop(.tooFarAhead))
    test.wallClock = .noon
    #expect(test.receive(.sealed(1)) == .relayed(4))
  }
}
