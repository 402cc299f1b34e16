import Testing
import Wire

@testable import Node

@Suite("Echo service") struct EchoServiceTests {
  private let ada = Fingerprint(value: 1)
  private let ben = Fingerprint(value: 2)

  /// How many of `count` texts, 5 s apart, are answered.
  private func answered(
    _ echo: inout EchoService, _ count: Int, _ text: String, from person: Fingerprint,
    at now: inout Instant
  ) -> Int {
    var answered = 0
    for _ in 0..<count {
      if echo.answers(text, from: person, at: now) { answered += 1 }
      now = now + .seconds(5)
    }
    return answered
  }

  @Test("the same text comes back four times, so that two echoes come to an end; others still do")
  func repeats() {
    var echo = EchoService()
    var now = Instant.zero
    let counts = [
      answered(&echo, 4, "test", from: ada, at: &now),
      answered(&echo, 100, "test", from: ada, at: &now),
      answered(&echo, 1, "test", from: ben, at: &now),
      answered(&echo, 1, "other", from: ada, at: &now),
      answered(&echo, 1, "test", from: ada, at: &now),
    ]
    #expect(counts == [4, 0, 1, 1, 1])
    now = now + EchoService.repeatMemory
    #expect(answered(&echo, 10, "test", from: ada, at: &now) == 4)
  }

  @Test("one person gets a burst and then a few a second, and all together have a bound")
  func rates() {
    var echo = EchoService()
    var count = 0
    for text in 0..<100 where echo.answers("\(text)", from: ada, at: .zero) { count += 1 }
    #expect(count == EchoService.burst)
    let isLater = echo.answers("later", from: ada, at: .zero + .seconds(1))
    #expect(isLater)
    for number in 0..<1_000 {
      let person = Fingerprint(value: UInt64(number) + 9)
      if echo.answers("x", from: person, at: .zero + .seconds(1)) { count += 1 }
    }
    #expect(count <= 64 + EchoService.burst)
    #expect(echo.peopleCount <= EchoService.maximumPeople)
  }

  @Test("frames come back as fast as a call has them, and no faster")
  func frames() {
    var echo = EchoService()
    var now = Instant.zero
    var count = 0
    for _ in 0..<500 {
      if echo.returnsFrame(at: now) { count += 1 }
      now = now + .milliseconds(20)
    }
    #expect(count == 500)
    for _ in 0..<1_000 where echo.returnsFrame(at: now) { count += 1 }
    #expect(count <= 560)
  }
}
