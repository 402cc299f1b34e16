import Identity
import Mesh
import Testing
import Wire

@Suite("blocked people") struct BlockingTests {
  private func blocked() throws -> (TestMesh<ModelCryptography>, Speaker<ModelCryptography>) {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1)
    try test.mesh.block(bob.number, true, at: test.moment)
    #expect(test.mesh.takeEffects().changes == [.block(bob.number)])
    return (test, bob)
  }

  @Test("their messages are not shown, not remembered and not answered")
  func nothingShown() throws {
    var (test, bob) = try blocked()
    #expect(test.receiveText(from: &bob, on: 1).isEmpty)
    let signal = bob.sealed(
      .callSignal(.end(CallNonce(random: 7))), to: test.keys, at: test.wallClock)
    #expect(test.receive(signal, on: 1).isEmpty)
    #expect(test.counter("mesh.from-blocked") == 2)
    #expect(test.counter("mesh.call-signals") == 0)
  }

  @Test("what they sent meanwhile is shown when it comes again after they are let back in")
  func unblocked() throws {
    var (test, bob) = try blocked()
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    test.receive(packet, on: 1)
    try test.mesh.block(bob.number, false, at: test.moment)
    #expect(test.mesh.takeEffects().changes == [.unblock(bob.number)])
    let again = bob.text(
      "hello", to: test.keys, at: test.wallClock, message: MessageID(packet.header.id))
    let effects = test.receive(again, on: 1)
    #expect(effects.texts == ["hello"])
    #expect(effects.sends(.sealed).count == 1)
  }

  @Test("nothing is told of them, and their packets are relayed like anybody's")
  func nothingTold() throws {
    var (test, bob) = try blocked()
    test.up(2)
    test.pass(.milliseconds(1))
    bob.name = "Robert"
    let effects = test.hear(&bob, on: 1)
    #expect(effects.people.isEmpty)
    #expect(effects.sends.map(\.links) == [[LinkID(2)]])
    var carol = Speaker(3)
    let text = bob.text("hello", to: carol.keys, at: test.wallClock)
    #expect(test.receive(text, on: 1).sends.count == 1)
    #expect(test.hear(&carol, on: 1).people.map(\.keys) == [carol.keys])
    #expect(test.down(1).people.map(\.keys) == [carol.keys])
    #expect(test.person(bob.keys)?.isBlocked == true)
  }

  @Test("a number is blocked whoever has it, and known or not")
  func byNumber() throws {
    var test = TestMesh()
    test.up(1)
    var twins = ModelCryptography.triplets.prefix(2).map { Speaker($0) }
    try test.mesh.block(twins[0].number, true, at: test.moment)
    _ = test.mesh.takeEffects()
    for index in twins.indices {
      #expect(test.hear(&twins[index], on: 1).people.isEmpty)
      #expect(test.receiveText(from: &twins[index], on: 1).isEmpty)
    }
  }

  @Test("other keys under a blocked number are no reason to warn; once unblocked they are")
  func contradictingAndBlocked() throws {
    var twins = ModelCryptography.triplets.prefix(2).map { Speaker($0) }
    var book = ContactBook()
    try book.apply(.pin(twins[0].keys, name: "Bob"))
    try book.apply(.block(twins[0].number))
    var test = TestMesh(contacts: book)
    test.up(1)
    #expect(test.hear(&twins[1], on: 1).warnings.isEmpty)
    #expect(test.receiveText(from: &twins[1], on: 1).isEmpty)
    try test.mesh.block(twins[0].number, false, at: test.moment)
    test.pass(.seconds(1))
    #expect(test.hear(&twins[1], on: 1).warnings.count == 1)
    #expect(test.refusal(to: twins[0].number) == .keysChanged(twins[0].number))
  }

  @Test("doing it twice is doing it once, and oneself cannot be blocked")
  func edges() throws {
    var (test, bob) = try blocked()
    try test.mesh.block(bob.number, true, at: test.moment)
    #expect(test.mesh.takeEffects().isEmpty)
    #expect(throws: MeshRefusal.isSelf) {
      try test.mesh.block(test.fingerprint.number, true, at: test.moment)
    }
    for person in 0..<ContactBook.maximumBlocked - 1 {
      try test.mesh.block(Number(Fingerprint(value: UInt64(person) << 24)), true, at: test.moment)
    }
    _ = test.mesh.takeEffects()
    #expect(throws: MeshRefusal.contactsFull) {
      try test.mesh.block(Number(Fingerprint(value: 1 << 60)), true, at: test.moment)
    }
    #expect(test.mesh.takeEffects().isEmpty)
  }
}
