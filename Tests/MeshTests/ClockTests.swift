import Identity
import Mesh
import Testing
import Wire

@Suite("a clock that seems wrong") struct ClockTests {
  private func linked() -> TestMesh<ModelCryptography> {
    var test = TestMesh()
    test.up(1)
    return test
  }

  /// Hellos of these people, their clocks off by as much.
  private func hear(
    _ test: inout TestMesh<ModelCryptography>, _ offsets: [(person: UInt64, seconds: Double)]
  ) -> [MeshWarning] {
    offsets.flatMap { person, seconds in
      var speaker = Speaker(ModelCryptography(person, seed: UInt64(test.now.nanoseconds)))
      return test.receive(speaker.hello(at: test.time(.milliseconds(Int(seconds * 1_000)))), on: 1)
        .warnings
    }
  }

  @Test(
    "three people off the same way tell by how much, the middle one's offset",
    arguments: [1.0, -1.0])
  func three(sign: Double) {
    var test = linked()
    #expect(hear(&test, [(2, sign * 1_000), (3, sign * 3_000)]).isEmpty)
    #expect(hear(&test, [(4, sign * 2_000)]) == [.clock(behind: .seconds(sign * 2_000))])
  }

  @Test(
    "over six hours behind or ahead, where the router drops hellos, too",
    arguments: [50_000.0, -50_000.0])
  func farOff(seconds: Double) {
    var test = linked()
    #expect(
      hear(&test, [(2, seconds), (3, seconds), (4, seconds)])
        == [.clock(behind: .seconds(seconds))])
    #expect(test.mesh.everyone.isEmpty, "and nobody is heard by it")
  }

  @Test("15 minutes off exactly is fine, a millisecond more is not", arguments: [1.0, -1.0])
  func edge(sign: Double) {
    var test = linked()
    #expect(hear(&test, [(2, sign * 900), (3, sign * 900), (4, sign * 900)]).isEmpty)
    test.pass(.seconds(1_801))
    let over = sign * 900.001
    #expect(
      hear(&test, [(2, over), (3, over), (4, over)])
        == [.clock(behind: .milliseconds(sign < 0 ? -900_001 : 900_001))])
  }

  @Test("one person three times is one")
  func sameOne() {
    var test = linked()
    for _ in 0..<5 {
      #expect(hear(&test, [(2, 1_000), (3, 1_000)]).isEmpty)
      test.pass(.seconds(1))
    }
    #expect(hear(&test, [(4, 1_000)]).count == 1)
  }

  @Test("people off in different ways prove nothing")
  func differentWays() {
    var test = linked()
    #expect(
      hear(&test, [(2, 1_000), (3, -1_000), (4, 1_000), (5, -1_000), (6, 1_000)]).isEmpty)
    #expect(hear(&test, [(7, 1_000), (8, 1_000)]).count == 1)
  }

  @Test("anybody within 15 minutes clears it, for 30 minutes")
  func agreement() {
    var test = linked()
    #expect(hear(&test, [(2, 1_000), (3, 1_000), (9, 0), (4, 1_000)]).isEmpty)
    test.pass(.seconds(1_800))
    #expect(hear(&test, [(5, 1_000), (6, 1_000)]).isEmpty, "exactly 30 minutes is within")
    test.pass(.milliseconds(1))
    #expect(hear(&test, [(7, 1_000)]).count == 1)
  }

  @Test("it is told once, and again only after somebody agreed")
  func toldOnce() {
    var test = linked()
    #expect(hear(&test, [(2, 1_000), (3, 1_000), (4, 1_000)]).count == 1)
    #expect(hear(&test, [(5, 1_000), (6, 1_000), (7, 1_000)]).isEmpty)
    #expect(hear(&test, [(8, 0)]).isEmpty)
    test.pass(.seconds(1_801))
    #expect(hear(&test, [(12, 1_000), (13, 1_000), (14, 1_000)]).count == 1)
  }

  @Test("a clock that was put wrong the other way is told of anew")
  func otherWay() {
    var test = linked()
    #expect(hear(&test, [(2, 1_000), (3, 1_000), (4, 1_000)]).count == 1)
    #expect(
      hear(&test, [(5, -2_000), (6, -2_000), (7, -2_000)]) == [.clock(behind: .seconds(-2_000))])
  }

  @Test("recordings of people who were heard since say nothing", arguments: [-1_000.0, -50_000.0])
  func recordings(seconds: Double) {
    var test = linked()
    var people = (2...5).map { Speaker(UInt64($0)) }
    var recordings = people.indices.map { people[$0].hello(at: test.time(.seconds(seconds))) }
    for index in people.indices { test.hear(&people[index], on: 1) }
    test.pass(.seconds(3_600))
    recordings = recordings.map { Packet($0, hopLimit: 1) }
    #expect(recordings.flatMap { test.receive($0, on: 1).warnings }.isEmpty)
  }

  @Test("a hello whose signature does not hold says nothing")
  func unsigned() {
    var test = linked()
    for person in 2...6 as ClosedRange<UInt64> {
      var speaker = Speaker(person)
      let hello = speaker.hello(at: test.wallClock)
      let moved = Packet(
        kind: .hello, hopLimit: 2, time: test.time(.seconds(-50_000)), id: hello.header.id,
        destination: .everyone, payload: Array(hello.payload))
      #expect(test.receive(moved, on: 1).isEmpty)
    }
  }

  @Test("a link that floods with old hellos takes no attention from another's")
  func flood() {
    var test = linked()
    test.up(2)
    var eve = Speaker(3)
    for _ in 0..<1_000 { test.receive(eve.hello(at: .zero), on: 2) }
    #expect(hear(&test, [(4, 50_000), (5, 50_000), (6, 50_000)]).count == 1)
  }

  @Test("of one link's old hellos ten are looked at, then one a second")
  func bounded() {
    var test = linked()
    #expect(hear(&test, (2..<12).map { _ in (2, 50_000) }).isEmpty)
    #expect(hear(&test, [(4, 50_000), (5, 50_000), (6, 50_000)]).isEmpty)
    test.pass(.seconds(2))
    #expect(hear(&test, [(4, 50_000), (5, 50_000), (6, 50_000)]).count == 1)
  }

  @Test("our own old hello says nothing")
  func ownHello() {
    var test = linked()
    #expect(hear(&test, [(1, -50_000), (1, -1_000), (2, -1_000), (3, -1_000)]).isEmpty)
  }
}
