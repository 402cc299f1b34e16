import EventLoop
import Testing

@Suite("Ticker", .timeLimit(.minutes(1))) @MainActor struct TickerTests {
  @Test("moments add up to the time that went by, late ones too, until it is stopped")
  func ticks() async throws {
    let start = ContinuousClock.now
    var moments = 0
    let ticker = try #require(Ticker(every: .milliseconds(2)) { moments += $0 })
    for _ in 0..<10_000 where moments < 25 { try await Task.sleep(for: .milliseconds(1)) }
    let passed = (ContinuousClock.now - start) / .milliseconds(2)
    #expect(moments >= 25 && Double(moments) <= passed + 1)
    ticker.stop()
    ticker.stop()
    let then = moments
    try await Task.sleep(for: .milliseconds(10))
    #expect(moments == then)
  }
}
