import Identity
import Mesh
import Outbox
import Testing
import Wire

/// The contacts were changed by another program while the node runs.
@Suite("contacts changed on disk") struct ContactsOnDiskTests {
  private func book(_ changes: ContactChange...) throws -> ContactBook {
    var book = ContactBook()
    for change in changes { try book.apply(change) }
    return book
  }

  @Test("someone imported can be written to")
  func imported() throws {
    var test = TestMesh()
    test.up(1)
    let bob = Speaker(2)
    #expect(test.refusal(to: bob.number) == .unknownNumber(bob.number))
    test.mesh.replaceBook(try book(.pin(bob.keys, name: "Bob")), at: test.moment)
    #expect(test.mesh.takeEffects().isEmpty)
    #expect(test.refusal(to: bob.number) == nil)
    #expect(test.person(bob.keys)?.name == "Bob")
  }

  @Test("what was had of someone who is pinned by it is remembered from now on")
  func remembered() throws {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2)
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    test.receive(packet, on: 1)
    test.mesh.replaceBook(try book(.pin(bob.keys, name: "Bob")), at: test.moment)
    #expect(test.mesh.takeEffects().remembered.map(\.messageID) == [MessageID(packet.header.id)])
    let again = bob.text(
      "hello", to: test.keys, at: test.wallClock, message: MessageID(packet.header.id))
    #expect(test.receive(again, on: 1).texts.isEmpty)
  }

  @Test("other keys accepted by it settle the conflict, and what waits for the old ones fails")
  func accepted() throws {
    var people = ModelCryptography.triplets.map { Speaker($0) }
    let number = people[0].number
    var test = TestMesh(contacts: try book(.pin(people[0].keys, name: "Bob")))
    test.up(1)
    let id = try test.send("hello", to: number).id
    test.hear(&people[1], on: 1)
    test.hear(&people[2], on: 1)
    #expect(test.refusal(to: number) == .keysChanged(number))
    test.mesh.replaceBook(try book(.pin(people[1].keys, name: "Bob")), at: test.moment)
    #expect(test.mesh.takeEffects() == [.state(id, .failed(.keysChanged))])
    let sent = try test.send("hello", to: number).effects.sends
    #expect(sent.map(\.packet.header.destination) == [people[1].fingerprint])
    // Those decided against are refused in silence.
    for person in [0, 2] {
      #expect(test.receiveText(from: &people[person], on: 1).isEmpty)
    }
    #expect(test.refusal(to: number) == nil)
  }

  @Test("a book that says the same changes nothing, and leaves conflicts open")
  func same() throws {
    var people = ModelCryptography.triplets.map { Speaker($0) }
    var test = TestMesh(contacts: try book(.pin(people[0].keys, name: "Bob")))
    test.up(1)
    test.hear(&people[1], on: 1)
    test.mesh.replaceBook(test.mesh.contacts, at: test.moment)
    #expect(test.mesh.takeEffects().isEmpty)
    #expect(test.refusal(to: people[0].number) == .keysChanged(people[0].number))
  }

  @Test("a number blocked by it is blocked, one unblocked is not")
  func blocked() throws {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2)
    test.mesh.replaceBook(try book(.block(bob.number)), at: test.moment)
    #expect(test.receiveText(from: &bob, on: 1).isEmpty)
    test.mesh.replaceBook(ContactBook(), at: test.moment)
    #expect(test.receiveText(from: &bob, on: 1).texts == ["hello"])
  }

  @Test("verifying marks the person and tells the disk, pinning them where they were not")
  func verifying() throws {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    #expect(throws: MeshRefusal.unknownNumber(bob.number)) {
      try test.mesh.verify(bob.number, fingerprint: nil)
    }
    test.hear(&bob, on: 1)
    #expect(try test.mesh.verify(bob.number, fingerprint: nil) == bob.keys)
    #expect(
      test.mesh.takeEffects().changes == [.pin(bob.keys, name: "Bob"), .verify(bob.keys)])
    #expect(test.person(bob.keys)?.isVerified == true)
    _ = try test.mesh.verify(bob.number, fingerprint: bob.fingerprint)
    #expect(test.mesh.takeEffects().isEmpty)
    #expect(throws: MeshRefusal.isSelf) {
      try test.mesh.verify(test.fingerprint.number, fingerprint: nil)
    }
  }
}
