import Identity
import Mesh
import Testing
import Wire

@Suite("hellos heard") struct HearingTests {
  @Test("a hello with both its hops tells that someone is near, and who claims the link")
  func near() throws {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    let effects = test.hear(&bob, on: 1)
    #expect(effects.people == [Told(keys: bob.keys, name: "Bob", isDirect: true, isNew: true)])
    #expect(effects.claims == [bob.fingerprint])
    let person = try #require(test.mesh.everyone.first)
    #expect(person.fingerprint == bob.fingerprint)
    #expect(person.heard == test.wallClock)
    #expect(person.isDirect)
    #expect(!person.isPinned && !person.isVerified && !person.isBlocked && !person.contradictsPin)
  }

  @Test("a relayed hello tells of someone, but not that they are near")
  func relayed() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    let effects = test.hear(&bob, on: 1, hops: 1)
    #expect(effects.people == [Told(keys: bob.keys, name: "Bob", isDirect: false, isNew: true)])
    #expect(effects.claims.isEmpty)
  }

  @Test("it is relayed once, with one hop, on every link but its own")
  func relaying() {
    var test = TestMesh()
    for link in 1...3 as ClosedRange<UInt32> { test.up(link) }
    var bob = Speaker(2)
    let hello = bob.hello(at: test.wallClock)
    let relays = test.receive(hello, on: 2).sends
    #expect(relays.map(\.links) == [[LinkID(1), LinkID(3)]])
    #expect(relays.first?.packet == Packet(hello, hopLimit: 1))
    #expect(test.receive(hello, on: 1).sends.isEmpty)
  }

  @Test("the same person with the same name is told of once")
  func toldOnChangeAlone() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1)
    for _ in 0..<10 {
      test.pass(.seconds(1))
      #expect(test.hear(&bob, on: 1).people.isEmpty)
    }
  }

  @Test("another name, coming near and going away are told")
  func changes() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1, hops: 1)
    test.pass(.milliseconds(1))
    bob.name = "Robert"
    #expect(
      test.hear(&bob, on: 1, hops: 1).people
        == [Told(keys: bob.keys, name: "Robert", isDirect: false, isNew: false)])
    test.pass(.milliseconds(1))
    #expect(
      test.hear(&bob, on: 2).people
        == [Told(keys: bob.keys, name: "Robert", isDirect: true, isNew: false)])
    #expect(
      test.down(2).people
        == [Told(keys: bob.keys, name: "Robert", isDirect: false, isNew: false)])
  }

  @Test("who is near on two links stays near while one of them is up")
  func nearTwice() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1)
    test.pass(.milliseconds(1))
    #expect(test.hear(&bob, on: 2).people.isEmpty)
    #expect(test.down(1).people.isEmpty)
    #expect(test.down(2).people.map(\.isDirect) == [false])
  }

  @Test("a link whose other end speaks as someone else is theirs from then on")
  func anotherClaim() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    var eve = Speaker(3, name: "Eve")
    test.hear(&bob, on: 1)
    let effects = test.hear(&eve, on: 1)
    #expect(effects.claims == [eve.fingerprint])
    #expect(
      Set(effects.people) == [
        Told(keys: bob.keys, name: "Bob", isDirect: false, isNew: false),
        Told(keys: eve.keys, name: "Eve", isDirect: true, isNew: true),
      ])
    #expect(effects.people.count == 2)
  }

  @Test("a hello not newer than the newest changes nothing", arguments: [0, -1, -60_000])
  func notNewer(milliseconds: Int) {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1, hops: 1)
    var old = bob
    old.name = "Old Bob"
    let late = old.hello(at: test.time(.milliseconds(milliseconds)))
    let effects = test.receive(late, on: 2)
    #expect(effects.people.isEmpty)
    #expect(effects.claims.isEmpty)
    #expect(test.mesh.everyone.map(\.name) == ["Bob"])
    #expect(test.receive(late, on: 1).claims.isEmpty, "nor does its copy")
  }

  @Test("a newest hello over 15 minutes ahead of our clock is forgotten")
  func farAhead() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    test.receive(bob.hello(at: test.time(.seconds(900))), on: 1)
    bob.name = "Robert"
    #expect(test.hear(&bob, on: 1).people.isEmpty, "exactly 15 minutes ahead counts")
    test.wallClock = test.time(.milliseconds(-1))
    #expect(test.hear(&bob, on: 1).people.map(\.name) == ["Robert"])
  }

  @Test("a copy of the newest with both its hops marks the link it came in on")
  func copyMarks() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2, name: "Bob")
    let hello = bob.hello(at: test.wallClock)
    test.receive(Packet(hello, hopLimit: 1), on: 1)
    let effects = test.receive(hello, on: 2)
    #expect(effects.claims == [bob.fingerprint])
    #expect(effects.people == [Told(keys: bob.keys, name: "Bob", isDirect: true, isNew: false)])
    #expect(test.receive(hello, on: 2).isEmpty)
  }

  @Test("so it does when the router no longer knows it")
  func copyMarksAfterItsEntryWent() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2, name: "Bob")
    let hello = bob.hello(at: test.wallClock)
    test.receive(Packet(hello, hopLimit: 1), on: 1)
    test.pass(.seconds(31 * 60))
    let effects = test.receive(hello, on: 2)
    #expect(effects.claims == [bob.fingerprint])
    #expect(effects.people.map(\.isDirect) == [true])
  }

  @Test("a copy of one that is not the newest marks nothing")
  func copyOfAnOldOne() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2, name: "Bob")
    let old = bob.hello(at: test.wallClock)
    test.receive(Packet(old, hopLimit: 1), on: 1)
    test.pass(.milliseconds(1))
    test.hear(&bob, on: 1, hops: 1)
    #expect(test.receive(old, on: 2).claims.isEmpty)
  }

  @Test("one whose signature does not hold is not heard and not relayed")
  func badSignature() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2, name: "Bob")
    let hello = bob.hello(at: test.wallClock)
    let moved = Packet(
      kind: .hello, hopLimit: 2, time: test.time(.milliseconds(1)), id: hello.header.id,
      destination: .everyone, payload: Array(hello.payload))
    #expect(test.receive(moved, on: 1).isEmpty)
    #expect(test.mesh.everyone.isEmpty)
    #expect(test.counter("mesh.bad-hellos") == 1)
    #expect(!test.receive(hello, on: 1).people.isEmpty, "the genuine one is")
  }

  @Test("one of a name that is no UTF-8 is refused")
  func badName() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    var payload = Array(bob.hello(at: test.wallClock).payload)
    payload[65] = 0xFF
    let hello = Packet(
      kind: .hello, hopLimit: 2, time: test.wallClock, id: bob.newID(), destination: .everyone,
      payload: payload)
    #expect(test.receive(hello, on: 1).isEmpty)
    #expect(test.counter("mesh.bad-hellos") == 1)
  }

  @Test(
    "someone of whom only a message was had is new when their hello comes",
    arguments: [
      "", "Bob",
    ])
  func messageFirst(name: String) {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: name)
    #expect(test.receiveText(from: &bob, on: 1).people.isEmpty)
    #expect(
      test.hear(&bob, on: 1, hops: 1).people
        == [Told(keys: bob.keys, name: name, isDirect: false, isNew: true)])
  }
}
