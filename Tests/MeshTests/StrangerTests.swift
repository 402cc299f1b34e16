import Identity
import Mesh
import Testing
import Wire

@Suite("strangers heard over a relay") struct StrangerTests {
  private func settled() -> TestMesh<ModelCryptography> {
    var test = TestMesh()
    test.up(1)
    _ = test.live(.seconds(5))
    return test
  }

  @Test("one is answered with a hello on every link, 0.2 to 1 s later", arguments: 1...20)
  func answered(seed: UInt64) throws {
    var test = TestMesh(ModelCryptography(1, seed: seed))
    test.up(1)
    test.up(2)
    _ = test.live(.seconds(5))
    var bob = Speaker(2)
    let effects = test.hear(&bob, on: 1, hops: 1)
    #expect(effects.hellos(of: test.keys).isEmpty)
    let due = try #require(test.mesh.deadline) - test.now
    #expect(due >= .milliseconds(200) && due <= .seconds(1))
    #expect(
      test.live(.seconds(10)).hellos(of: test.keys).map(\.links) == [[LinkID(1), LinkID(2)]])
  }

  @Test("many are answered together, once a minute at most")
  func onceAMinute() {
    var test = settled()
    var answers = 0
    for second in 0..<60 {
      var stranger = Speaker(UInt64(100 + second))
      test.hear(&stranger, on: 1, hops: 1)
      answers += test.live(.seconds(1)).hellos(of: test.keys).count
    }
    #expect(answers == 1)
    var stranger = Speaker(99)
    test.hear(&stranger, on: 1, hops: 1)
    #expect(test.live(.seconds(2)).hellos(of: test.keys).count == 1)
  }

  @Test("who is near is not: they had our hello when the link came up")
  func notTheNear() {
    var test = settled()
    var bob = Speaker(2)
    test.hear(&bob, on: 1)
    #expect(test.live(.seconds(10)).isEmpty)
  }

  @Test(
    "who was heard before and joins anew is, as a second hello within 3 s shows",
    arguments: [
      (3_000, 1), (3_001, 0),
    ])
  func joinsAnew(milliseconds: Int, answers: Int) {
    var test = settled()
    var bob = Speaker(2)
    test.hear(&bob, on: 1, hops: 1)
    _ = test.live(.seconds(120))
    test.hear(&bob, on: 1, hops: 1)
    test.pass(.milliseconds(milliseconds))
    test.hear(&bob, on: 1, hops: 1)
    #expect(test.live(.seconds(10)).hellos(of: test.keys).count == answers)
  }

  @Test("who was heard before is not")
  func notTheKnown() {
    var test = settled()
    var bob = Speaker(2)
    test.hear(&bob, on: 1, hops: 1)
    _ = test.live(.seconds(120))
    test.hear(&bob, on: 1, hops: 1)
    #expect(test.live(.seconds(10)).isEmpty)
  }

  @Test("who is blocked is not, and nothing is told of them")
  func notTheBlocked() throws {
    var test = settled()
    var bob = Speaker(2)
    try test.mesh.block(bob.number, true, at: test.moment)
    _ = test.mesh.takeEffects()
    #expect(test.hear(&bob, on: 1, hops: 1).people.isEmpty)
    #expect(test.live(.seconds(10)).isEmpty)
    #expect(test.receive(bob.hello(at: test.time()), on: 1).people.isEmpty)
    #expect(test.down(1).people.isEmpty)
  }

  @Test("an answer keeps a second's distance from any other announcement")
  func distance() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var test = TestMesh(ModelCryptography(1, seed: seed))
      test.up(1)
      _ = test.live(.seconds(5))
      var bob = Speaker(2)
      test.hear(&bob, on: 1, hops: 1)
      _ = test.live(.milliseconds(100))
      test.mesh.announce(at: test.moment)
      #expect(test.mesh.takeEffects().sends.count == 1)
      let rest = test.live(.milliseconds(999)).hellos(of: test.keys)
      #expect(rest.isEmpty, "seed \(seed)")
    }
  }

  @Test("an announcement that is sent anyway is the answer")
  func announcementIsTheAnswer() {
    var test = settled()
    var bob = Speaker(2)
    test.hear(&bob, on: 1, hops: 1)
    test.mesh.announce(at: test.moment)
    _ = test.mesh.takeEffects()
    #expect(test.live(.seconds(10)).isEmpty)
  }

  @Test("two hellos played in turn, whose copies are free, stop being news")
  func alternating() {
    var test = settled()
    var (bob, eve) = (Speaker(2), Speaker(3))
    let hellos = [bob.hello(at: test.wallClock), eve.hello(at: test.wallClock)]
    var news = 0
    for round in 0..<1_000 {
      news +=
        test.receive(hellos[round % 2], on: 1).filter {
          if case .claimed = $0 { true } else { false }
        }.count
    }
    #expect(news == 4)
    // Who is really there is noted once it is quiet.
    test.pass(.seconds(10))
    test.receive(hellos[0], on: 1)
    #expect(test.person(bob.keys)?.isDirect == true)
  }
}
