import Identity
import Mesh
import Outbox
import Testing
import Wire

@Suite("until the receipt") struct DeliveryTests {
  private func sent() throws -> (
    TestMesh<ModelCryptography>, Speaker<ModelCryptography>, id: MessageID, packet: Packet
  ) {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1)
    _ = test.live(.seconds(2))
    let (id, effects) = try test.send("hello", to: bob.number)
    return (test, bob, id, try #require(effects.sends.first?.packet))
  }

  @Test("the recipient's receipt makes a message delivered, once")
  func delivered() throws {
    var (test, bob, id, _) = try sent()
    let receipt = bob.sealed(.receipt(id), to: test.keys, at: test.wallClock)
    #expect(test.receive(receipt, on: 1).states == [.delivered])
    #expect(test.mesh.waitingMessages == 0)
    #expect(test.counter("mesh.own-texts") == 0)
    let again = bob.sealed(.receipt(id), to: test.keys, at: test.wallClock)
    #expect(test.receive(again, on: 1).isEmpty)
    #expect(test.counter("mesh.strange-receipts") == 1)
  }

  @Test("nobody else's receipt does, nor one for another message")
  func strangeReceipts() throws {
    var (test, bob, id, packet) = try sent()
    var eve = Speaker(3)
    #expect(
      test.receive(eve.sealed(.receipt(id), to: test.keys, at: test.wallClock), on: 1).isEmpty)
    let other = bob.sealed(.receipt(MessageID(bob.newID())), to: test.keys, at: test.wallClock)
    #expect(test.receive(other, on: 1).isEmpty)
    #expect(test.counter("mesh.strange-receipts") == 2)
    #expect(test.mesh.waitingMessages == 1)
    // A forged one does not open.
    let forged = eve.junk(to: test.fingerprint, at: test.wallClock, id: packet.header.id)
    #expect(test.receive(forged, on: 1).isEmpty)
    #expect(test.counter("mesh.unopenable") == 1)
  }

  @Test("a receipt from other keys with the recipient's number does not count")
  func receiptOfATwin() throws {
    var test = TestMesh()
    test.up(1)
    var twins = ModelCryptography.triplets.prefix(2).map { Speaker($0) }
    test.hear(&twins[0], on: 1)
    let id = try test.send("hello", to: twins[0].number).id
    let receipt = twins[1].sealed(.receipt(id), to: test.keys, at: test.wallClock)
    #expect(test.receive(receipt, on: 1).states.isEmpty)
    #expect(test.mesh.waitingMessages == 1)
  }

  @Test("it goes out again under a fresh packet id, with the same time and message id")
  func sentAgain() throws {
    var (test, bob, id, first) = try sent()
    let again = test.live(.seconds(38)).sends(.sealed)
    #expect(again.count == 1)
    let packet = try #require(again.first?.packet)
    #expect(packet.header.id != first.header.id)
    #expect(packet.header.time == first.header.time)
    let opened = bob.cryptography.open(
      packet.view.payload, packetID: packet.header.id, time: packet.header.time)
    #expect(opened == OpenedMessage(sender: test.keys, messageID: id, content: .text("hello")))
    // It is what a link that comes up is offered from now on.
    #expect(test.up(2).sends(.sealed).map(\.packet) == [packet])
    // And what comes back of either is known.
    test.up(3)
    #expect(test.receive(Packet(first, hopLimit: 3), on: 1).isEmpty)
    #expect(test.receive(Packet(packet, hopLimit: 3), on: 1).isEmpty)
  }

  @Test("when the recipient is heard, near or relayed, it goes out again", arguments: [2, 1])
  func recipientHeard(hops: UInt8) throws {
    var (test, bob, _, first) = try sent()
    test.pass(.milliseconds(10_001))
    let again = test.hear(&bob, on: 1, hops: hops).sends(.sealed)
    #expect(again.count == 1)
    #expect(again.first?.packet.header.id != first.header.id)
  }

  @Test("a hello that is not newer, or not theirs, sends nothing again")
  func otherHellos() throws {
    var (test, bob, _, _) = try sent()
    test.pass(.seconds(11))
    #expect(
      test.receive(bob.hello(at: test.time(.seconds(-20))), on: 1).sends(.sealed).isEmpty)
    var eve = Speaker(3)
    #expect(test.hear(&eve, on: 1).sends(.sealed).isEmpty)
  }

  @Test("what a link shed is offered to it again a little later")
  func shedIsOfferedAgain() throws {
    var (test, _, _, packet) = try sent()
    test.mesh.wasShed(packet, on: LinkID(1), at: test.moment)
    let again = test.live(.seconds(1)).sends(.sealed)
    #expect(again.map(\.packet.header.id) == [packet.header.id])
    #expect(again.map(\.links) == [[LinkID(1)]])
  }

  @Test("what was shed of others' packets, of hellos and of unknown links brings nothing about")
  func othersShed() throws {
    var (test, bob, _, packet) = try sent()
    let deadline = test.mesh.deadline
    var eve = Speaker(3)
    test.mesh.wasShed(
      eve.text("x", to: bob.keys, at: test.wallClock), on: LinkID(1), at: test.moment)
    test.mesh.wasShed(bob.hello(at: test.wallClock), on: LinkID(1), at: test.moment)
    test.mesh.wasShed(packet, on: LinkID(9), at: test.moment)
    #expect(test.mesh.takeEffects().isEmpty)
    #expect(test.mesh.deadline == deadline)
  }

  @Test("the packet before the last is no longer offered when it was shed")
  func formerPacketShed() throws {
    var (test, _, _, first) = try sent()
    _ = test.live(.seconds(38))
    let deadline = test.mesh.deadline
    test.mesh.wasShed(first, on: LinkID(1), at: test.moment)
    #expect(test.mesh.deadline == deadline)
  }

  @Test("past six hours the user is told once, past a day it fails")
  func patience() throws {
    var (test, _, id, _) = try sent()
    let edge = test.now + .seconds(6 * 3_600)
    var effects = test.live(.seconds(6 * 3_600))
    #expect(effects.warnings.isEmpty)
    #expect(test.now == edge)
    effects = test.live(.seconds(18 * 3_600 - 1))
    #expect(effects.warnings == [.ageLimit(id)])
    #expect(effects.sends(.sealed).isEmpty)
    #expect(effects.states.isEmpty)
    #expect(test.live(.seconds(1)).states == [.failed(.patience)])
    #expect(test.mesh.waitingMessages == 0)
    #expect(test.counter("mesh.own-texts") == 0)
  }

  @Test("stopping names every message that waits, oldest first, and no other")
  func stopping() throws {
    var (test, bob, first, _) = try sent()
    let second = try test.send("two", to: bob.number).id
    let third = try test.send("three", to: bob.number).id
    test.receive(bob.sealed(.receipt(second), to: test.keys, at: test.wallClock), on: 1)
    test.mesh.stop(at: test.moment)
    let effects = test.mesh.takeEffects()
    #expect(
      effects == [.state(first, .failed(.stopped)), .state(third, .failed(.stopped))])
    #expect(test.mesh.waitingMessages == 0)
    test.mesh.stop(at: test.moment)
    #expect(test.mesh.takeEffects().isEmpty)
  }

  @Test("a blocked person's receipt still makes a message delivered")
  func receiptOfTheBlocked() throws {
    var (test, bob, id, _) = try sent()
    try test.mesh.block(bob.number, true, at: test.moment)
    _ = test.mesh.takeEffects()
    let receipt = bob.sealed(.receipt(id), to: test.keys, at: test.wallClock)
    #expect(test.receive(receipt, on: 1) == [.state(id, .delivered)])
  }
}
