import Identity
import Mesh
import Testing
import Wire

@Suite("relaying") struct RelayTests {
  private func linked(_ count: UInt32) -> TestMesh<ModelCryptography> {
    var test = TestMesh()
    for link in 1...count { test.up(link) }
    return test
  }

  @Test(
    "a packet goes on with a hop less, seven at most, on every link but its own",
    arguments: [
      (15, 6), (8, 6), (7, 6), (6, 5), (2, 1),
    ])
  func hops(came: UInt8, goes: UInt8) {
    var test = linked(3)
    var bob = Speaker(2)
    let packet = bob.text("hello", to: Speaker(3).keys, at: test.wallClock, hops: came)
    let effects = test.receive(packet, on: 2)
    #expect(effects == [.send(Packet(packet, hopLimit: goes), on: [LinkID(1), LinkID(3)])])
  }

  @Test("with one hop left it ends here; a copy with more goes on, once")
  func lastHop() {
    var test = linked(3)
    var bob = Speaker(2)
    let packet = bob.text("hello", to: Speaker(3).keys, at: test.wallClock)
    #expect(test.receive(Packet(packet, hopLimit: 1), on: 1).isEmpty)
    #expect(test.receive(Packet(packet, hopLimit: 1), on: 2).isEmpty)
    #expect(
      test.receive(Packet(packet, hopLimit: 4), on: 2)
        == [.send(Packet(packet, hopLimit: 3), on: [LinkID(1), LinkID(3)])])
    #expect(test.receive(Packet(packet, hopLimit: 7), on: 3).isEmpty)
  }

  @Test("a hello heard with one hop is relayed when its copy has two, and heard once")
  func helloWithMoreHops() {
    var test = linked(2)
    var bob = Speaker(2)
    let hello = bob.hello(at: test.wallClock)
    #expect(test.receive(Packet(hello, hopLimit: 1), on: 1).sends.isEmpty)
    let effects = test.receive(hello, on: 2)
    #expect(effects.sends.map(\.packet) == [Packet(hello, hopLimit: 1)])
    #expect(effects.claims == [bob.fingerprint])
    #expect(test.counter("mesh.hellos-heard") == 1)
  }

  @Test("a packet for us is not relayed, and one for everyone is never opened")
  func endsHere() {
    var test = linked(2)
    var bob = Speaker(2)
    #expect(
      test.receiveText(from: &bob, on: 1).sends.allSatisfy {
        $0.packet.header.destination == bob.fingerprint
      })
    let everyone = bob.junk(to: .everyone, at: test.wallClock)
    #expect(test.receive(everyone, on: 1).sends.map(\.links) == [[LinkID(2)]])
    #expect(!test.mesh.hasWork)
    #expect(test.counter("mesh.unopenable") == 0)
  }

  @Test("with no other link there is nothing to relay on")
  func alone() {
    var test = linked(1)
    var bob = Speaker(2)
    let packet = bob.text("hello", to: Speaker(3).keys, at: test.wallClock)
    #expect(test.receive(packet, on: 1).isEmpty)
    #expect(test.up(2).sends(.sealed).isEmpty, "and no copy is kept for a later one")
    #expect(test.receive(packet, on: 2).isEmpty)
  }

  @Test("a packet from a link that is not up is nothing")
  func unknownLink() {
    var test = linked(2)
    var bob = Speaker(2)
    #expect(test.hear(&bob, on: 9).isEmpty)
    test.down(2)
    #expect(test.receiveText(from: &bob, on: 2).isEmpty)
    #expect(test.down(2).isEmpty)
  }

  @Test(
    "flags and unknown lengths of later versions go no further",
    arguments: [
      (2 as UInt8, 2 as UInt8), (1, 4),
    ])
  func laterVersions(version: UInt8, kind: UInt8) {
    var test = linked(2)
    var bob = Speaker(2)
    let packet = Packet(
      unchecked: version, kind: kind, hopLimit: 7, flags: 0, time: test.wallClock, id: bob.newID(),
      destination: Speaker(3).fingerprint, payload: [UInt8](repeating: 0, count: 304))
    #expect(test.receive(packet, on: 1).isEmpty)
  }

  @Test("flags are relayed as they came")
  func flags() {
    var test = linked(2)
    var bob = Speaker(2)
    let packet = Packet(
      unchecked: 1, kind: 2, hopLimit: 7, flags: 0xA5, time: test.wallClock, id: bob.newID(),
      destination: Speaker(3).fingerprint, payload: [UInt8](repeating: 0, count: 304))
    #expect(test.receive(packet, on: 1).sends.map(\.packet.header.flags) == [0xA5])
  }

  @Test("voice for us is counted, voice for others is not relayed")
  func voice() {
    var test = linked(2)
    var bob = Speaker(2)
    #expect(test.receive(bob.voice(to: test.fingerprint, at: test.wallClock), on: 1).isEmpty)
    #expect(test.counter("mesh.voice-frames") == 1)
    #expect(test.receive(bob.voice(to: Speaker(3).fingerprint, at: test.wallClock), on: 1).isEmpty)
    #expect(test.counter("mesh.voice-frames") == 1)
  }

  @Test("a flood of voice pushes no message out of the table")
  func voiceFlood() {
    var test = linked(3)
    var bob = Speaker(2)
    let relayed = bob.text("hello", to: Speaker(3).keys, at: test.wallClock)
    let own = bob.text("hello", to: test.keys, at: test.wallClock)
    test.receive(relayed, on: 1)
    test.receive(own, on: 1)
    let opened = test.counter("mesh.opened")
    for _ in 0..<10_000 {
      test.pass(.milliseconds(10))
      test.receive(bob.voice(to: test.fingerprint, at: test.wallClock), on: 2)
      test.receive(bob.voice(to: Speaker(3).fingerprint, at: test.wallClock), on: 3)
    }
    #expect(test.counter("mesh.voice-frames") == 10_000)
    #expect(test.receive(relayed, on: 2).isEmpty)
    #expect(test.receive(own, on: 2).isEmpty)
    #expect(test.counter("mesh.opened") == opened)
  }

  @Test("what a link sends over its share goes no further; other links lose nothing by it")
  func share() {
    var test = linked(3)
    var eve = Speaker(3)
    var bob = Speaker(2)
    var relays = 0
    for _ in 0..<1_000 {
      relays += test.receive(eve.junk(to: bob.fingerprint, at: test.wallClock), on: 1).sends.count
    }
    #expect(relays == 400)
    let packet = bob.text("hello", to: Speaker(4).keys, at: test.wallClock)
    #expect(test.receive(packet, on: 2).sends.count == 1)
  }
}
