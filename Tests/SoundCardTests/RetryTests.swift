import Testing

@testable import SoundCard

@Suite("Trying a sound card again") struct RetryTests {
  @Test("pauses grow, up to a bound, and begin anew after a time of work")
  func pauses() {
    var retry = RetryPause()
    #expect(
      (0..<7).map { _ in retry.pause(afterRunning: 0) } == [
        250, 500, 1_000, 2_000, 4_000, 4_000, 4_000,
      ])
    #expect(retry.pause(afterRunning: 1_000_000_000) == 4_000)
    #expect(retry.pause(afterRunning: 5_000_000_000) == 250)
    #expect(retry.pause(afterRunning: 0) == 500)
  }
}
