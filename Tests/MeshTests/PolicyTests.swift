import Identity
import Mesh
import Outbox
import Testing
import Wire

/// What the protocol leaves to evidence can be switched, one thing at a time.
@Suite("policy") struct PolicyTests {
  private func mesh(
    _ links: UInt32, _ change: (inout MeshPolicy) -> Void
  ) -> TestMesh<ModelCryptography> {
    var policy = MeshPolicy()
    change(&policy)
    var test = TestMesh(ModelCryptography(1, seed: 1))
    test.mesh = Mesh(
      cryptography: ModelCryptography(1, seed: 1), name: "Ada", policy: policy, now: test.now)
    if links > 0 { for link in 1...links { test.up(link) } }
    _ = test.live(.seconds(10))
    return test
  }

  private func expectNothing(_ effects: [MeshEffect]) { #expect(effects.isEmpty) }

  private let wait: ClosedRange<Duration> = .milliseconds(10)...(.milliseconds(50))

  @Test("a relay waits within its bounds, and leaves out who has brought a copy meanwhile")
  func relayWait() {
    var test = mesh(4) { $0.relayWait = wait }
    var bob = Speaker(2)
    let packet = bob.text("hello", to: Speaker(3).keys, at: test.wallClock, hops: 4)
    expectNothing(test.receive(packet, on: 2))
    expectNothing(test.receive(Packet(packet, hopLimit: 3), on: 4))
    expectNothing(test.live(.milliseconds(9)))
    let effects = test.live(.milliseconds(41))
    #expect(effects == [.send(Packet(packet, hopLimit: 3), on: [LinkID(1), LinkID(3)])])
    expectNothing(test.receive(packet, on: 1))
    expectNothing(test.live(.seconds(1)))
  }

  @Test("a copy with more hops that comes while it waits gives it these")
  func moreHops() {
    var test = mesh(3) { $0.relayWait = wait }
    var bob = Speaker(2)
    let packet = bob.text("hello", to: Speaker(3).keys, at: test.wallClock, hops: 15)
    test.receive(Packet(packet, hopLimit: 3), on: 2)
    test.receive(packet, on: 1)
    let effects = test.live(.milliseconds(50))
    #expect(effects == [.send(Packet(packet, hopLimit: 6), on: [LinkID(3)])])
  }

  @Test("a hello's copy with more hops than a hello has changes nothing")
  func hostileHops() {
    var test = mesh(3) { $0.relayWait = wait }
    var bob = Speaker(2)
    let hello = bob.hello(at: test.wallClock)
    test.receive(hello, on: 2)
    test.receive(Packet(hello, hopLimit: 9), on: 1)
    let sends = test.live(.milliseconds(50)).hellos(of: bob.keys)
    #expect(sends.map(\.packet) == [Packet(hello, hopLimit: 1)])
    #expect(sends.map(\.links) == [[LinkID(3)]])
  }

  @Test("when every neighbour has it, nothing is sent, and that is counted")
  func spared() {
    var test = mesh(3) { $0.relayWait = wait }
    var bob = Speaker(2)
    let packet = bob.text("hello", to: Speaker(3).keys, at: test.wallClock)
    for link in 1...3 as ClosedRange<UInt32> { test.receive(packet, on: link) }
    expectNothing(test.live(.milliseconds(50)))
    #expect(test.counter("mesh.relays-spared") == 1)
    #expect(test.counter("mesh.waiting-relays") == 0)
  }

  @Test("as many wait as may, the next goes on at once; a link that is gone gets nothing")
  func bound() {
    var test = mesh(3) { $0.relayWait = wait }
    var bob = Speaker(2)
    for _ in 0..<256 {
      expectNothing(test.receive(bob.junk(to: Fingerprint(), at: test.wallClock), on: 1))
    }
    #expect(test.counter("mesh.waiting-relays") == 256)
    let next = bob.junk(to: Fingerprint(), at: test.wallClock)
    let atOnce = test.receive(next, on: 2).sends
    #expect(atOnce.map(\.links) == [[LinkID(1), LinkID(3)]])
    test.down(3)
    let effects = test.live(.milliseconds(50))
    #expect(effects.sends.count == 256)
    #expect(effects.sends.allSatisfy { $0.links == [LinkID(2)] })
  }

  @Test("a repeat is answered, or not", arguments: [true, false])
  func repeats(answers: Bool) {
    var test = mesh(1) { $0.answersRepeats = answers }
    var bob = Speaker(2)
    let first = bob.text("hello", to: test.keys, at: test.wallClock)
    let receipts = test.receive(first, on: 1).sends(.sealed)
    #expect(receipts.count == 1)
    test.pass(.seconds(2))
    let again = bob.text(
      "hello", to: test.keys, at: first.header.time, message: MessageID(first.header.id))
    let more = test.receive(again, on: 1).sends(.sealed)
    #expect(more.count == (answers ? 1 : 0))
  }

  @Test(
    "a receipt goes back as far as its message may have come",
    arguments: [(7, 7), (6, 7), (5, 7), (3, 7), (1, 7)], [true, false])
  func receiptHops(hops: (UInt8, UInt8), isOn: Bool) {
    // One device in direct range: the table says seven. In a crowd, three.
    var alone = mesh(1) { $0.receiptsGoAsFar = isOn }
    var bob = Speaker(2)
    let text = bob.text("hello", to: alone.keys, at: alone.wallClock, hops: hops.0)
    let answer = alone.receive(text, on: 1).sends(.sealed)
    #expect(answer.map(\.packet.header.hopLimit) == [hops.1])

    var crowd = mesh(30) { $0.receiptsGoAsFar = isOn }
    for link in 1...30 as ClosedRange<UInt32> {
      var neighbour = Speaker(UInt64(link) + 100)
      crowd.hear(&neighbour, on: link)
    }
    let other = bob.text("hello", to: crowd.keys, at: crowd.wallClock, hops: hops.0)
    let expected = isOn ? max(3, 8 - hops.0) : 3
    let receipt = crowd.receive(other, on: 1).sends(.sealed)
    #expect(receipt.map(\.packet.header.hopLimit) == [expected])
  }
}
