import Mesh
import Testing
import Wire

@Suite("hellos of our own") struct OwnHelloTests {
  @Test("one goes out on a link that comes up, on that link alone, with two hops")
  func onLinkUp() throws {
    var test = TestMesh()
    test.up(1)
    let sends = test.up(2).sends
    #expect(sends.count == 1)
    let (packet, links) = try #require(sends.first)
    #expect(links == [LinkID(2)])
    #expect(packet.header.kind == .hello)
    #expect(packet.header.hopLimit == 2)
    #expect(packet.header.destination == .everyone)
    #expect(packet.header.time == test.time(.milliseconds(1)), "the first had that of the clock")
    let hello = try Hello(payload: packet.view.payload)
    #expect(hello.keys == test.keys)
    #expect(hello.name == "Ada")
    #expect(
      ModelCryptography(9).isAuthentic(hello, id: packet.header.id, time: packet.header.time))
  }

  @Test("one more goes out on it 1.5 s later, and no more after that")
  func again() {
    var test = TestMesh()
    test.up(1)
    test.pass(.milliseconds(700))
    test.up(2)
    #expect(test.mesh.deadline == test.now + .milliseconds(800))
    test.pass(.nanoseconds(799_999_999))
    #expect(test.wake().isEmpty)
    test.pass(.nanoseconds(1))
    let first = test.wake().sends
    #expect(first.map(\.links) == [[LinkID(1)]])
    test.pass(.milliseconds(700))
    #expect(test.wake().sends.map(\.links) == [[LinkID(2)]])
    #expect(test.mesh.deadline == nil)
  }

  @Test("a link that went down again gets no second one")
  func noneAfterDown() {
    var test = TestMesh()
    test.up(1)
    test.down(1)
    #expect(test.mesh.deadline == nil)
    #expect(test.live(.seconds(10)).isEmpty)
  }

  @Test("a link told of twice gets one")
  func toldTwice() {
    var test = TestMesh()
    test.up(1)
    #expect(test.up(1).isEmpty)
  }

  @Test("an announcement goes out on every link at once, then at most once a second")
  func announcing() {
    var test = TestMesh()
    test.up(2)
    test.up(1)
    _ = test.live(.seconds(5))
    test.mesh.announce(at: test.moment)
    #expect(test.mesh.takeEffects().sends.map(\.links) == [[LinkID(1), LinkID(2)]])
    for _ in 0..<20 {
      test.pass(.milliseconds(40))
      test.mesh.announce(at: test.moment)
    }
    #expect(test.mesh.takeEffects().isEmpty)
    test.pass(.milliseconds(199))
    #expect(test.wake().isEmpty)
    test.pass(.milliseconds(1))
    #expect(test.wake().sends.count == 1)
    #expect(test.live(.seconds(60)).isEmpty)
    test.mesh.announce(at: test.moment)
    #expect(test.mesh.takeEffects().sends.count == 1)
  }

  @Test("an announcement without a link sends nothing")
  func announcingAlone() {
    var test = TestMesh()
    test.mesh.announce(at: test.moment)
    #expect(test.mesh.takeEffects().isEmpty)
    test.up(1)
    test.mesh.announce(at: test.moment)
    #expect(test.live(.seconds(1)).sends.count <= 1, "what nobody heard holds nothing back")
  }

  @Test("their times rise strictly, however fast they follow each other")
  func timesRise() {
    var test = TestMesh()
    var times: [Timestamp] = []
    for link in 1...50 as ClosedRange<UInt32> {
      times += test.up(link).sends.map(\.packet.header.time)
    }
    #expect(times.count == 50)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(times.last == test.time(.milliseconds(49)))
  }

  @Test("after the clock was set back they go on rising, unless that was over 15 minutes")
  func clockSetBack() {
    var test = TestMesh()
    let first = test.wallClock
    test.up(1)
    test.wallClock = first.advanced(by: .seconds(-900))
    #expect(
      test.up(2).sends.map(\.packet.header.time) == [first.advanced(by: .milliseconds(1))])
    test.wallClock = first.advanced(by: .seconds(-900))
    #expect(test.up(3).sends.map(\.packet.header.time) == [test.wallClock])
  }

  @Test("a copy that comes back makes no person and no relay")
  func copiesComeBack() throws {
    var test = TestMesh()
    let own = try #require(test.up(1).sends.first?.packet)
    test.up(2)
    #expect(test.receive(own, on: 1).isEmpty)
    #expect(test.receive(Packet(own, hopLimit: 1), on: 2).isEmpty)
    #expect(test.mesh.everyone.isEmpty)
  }

  @Test("one of an earlier run makes no person and marks no link")
  func ofAnEarlierRun() {
    var test = TestMesh()
    test.up(1)
    var earlier = Speaker(ModelCryptography(1, seed: 99), name: "Ada")
    let effects = test.hear(&earlier, on: 1)
    #expect(effects.people.isEmpty)
    #expect(effects.claims.isEmpty)
    #expect(test.mesh.everyone.isEmpty)
    #expect(test.hear(&earlier, on: 1).claims.isEmpty)
  }
}
