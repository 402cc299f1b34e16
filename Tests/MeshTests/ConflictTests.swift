import Identity
@testable import Mesh
import Outbox
import Testing
import Wire

/// Keys that show up under a number which is pinned with others.
@Suite("other keys under a pinned number") struct ConflictTests {
  /// Three people of one number; the first is pinned.
  private struct Scene {
    var test: TestMesh<ModelCryptography>
    var people = ModelCryptography.triplets.map { Speaker($0, name: "Bob") }
    var number: Number { people[0].number }

    init(link: UInt32 = 1) throws {
      var book = ContactBook()
      try book.apply(.pin(people[0].keys, name: "Bob"))
      test = TestMesh(contacts: book)
      test.up(link)
      _ = test.live(.seconds(2))
    }

    func warning(of person: Int) -> MeshWarning {
      .keysChanged(
        kept: people[0].fingerprint, seen: people[person].fingerprint, name: people[person].name)
    }
  }

  @Test("their hello is warned of once, and makes nobody near, new or answered", arguments: [1, 2])
  func hello(hops: UInt8) throws {
    var scene = try Scene()
    let effects = scene.test.hear(&scene.people[1], on: 1, hops: hops)
    #expect(effects.warnings == [scene.warning(of: 1)])
    #expect(effects.people.isEmpty)
    scene.test.pass(.seconds(1))
    scene.people[1].name = "Another name"
    let again = scene.test.hear(&scene.people[1], on: 1, hops: hops)
    #expect(again.warnings.isEmpty && again.people.isEmpty && again.changes.isEmpty)
    #expect(scene.test.live(.seconds(5)).isEmpty)
    let person = try #require(scene.test.person(scene.people[1].keys))
    #expect(person.contradictsPin && !person.isPinned)
    #expect(scene.test.down(1).people.isEmpty)
  }

  @Test("a copy of their hello with both hops tells of nobody")
  func copy() throws {
    var scene = try Scene()
    scene.test.up(2)
    let hello = scene.people[1].hello(at: scene.test.wallClock)
    scene.test.receive(Packet(hello, hopLimit: 1), on: 1)
    #expect(scene.test.receive(hello, on: 2).people.isEmpty)
  }

  @Test("their message is refused without a receipt, and warned of once")
  func message() throws {
    var scene = try Scene()
    let effects = scene.test.receiveText(from: &scene.people[1], on: 1)
    #expect(
      effects == [
        .warning(
          .keysChanged(
            kept: scene.people[0].fingerprint, seen: scene.people[1].fingerprint, name: ""))
      ])
    #expect(scene.test.receiveText(from: &scene.people[1], on: 1).isEmpty)
    #expect(scene.test.hear(&scene.people[1], on: 1).warnings.isEmpty)
    #expect(scene.test.counter("mesh.from-contradicting") == 2)
  }

  @Test("each other keys are warned of")
  func each() throws {
    var scene = try Scene()
    #expect(scene.test.hear(&scene.people[1], on: 1).warnings == [scene.warning(of: 1)])
    #expect(scene.test.hear(&scene.people[2], on: 1).warnings == [scene.warning(of: 2)])
  }

  @Test("once warned of they are not again, however many others were heard since")
  func notAgain() throws {
    var scene = try Scene()
    scene.test.hear(&scene.people[1], on: 1)
    for person in 0..<300 {
      var stranger = Speaker(UInt64(1_000 + person))
      scene.test.pass(.milliseconds(50))
      scene.test.hear(&stranger, on: 1)
    }
    #expect(scene.test.person(scene.people[1].keys) == nil)
    #expect(scene.test.hear(&scene.people[1], on: 1).warnings.isEmpty)
  }

  @Test("the number gets nothing until the user decides, not even by the kept fingerprint")
  func nothingSent() throws {
    var scene = try Scene()
    scene.test.hear(&scene.people[1], on: 1)
    for fingerprint in [nil, scene.people[0].fingerprint, scene.people[1].fingerprint] {
      #expect(
        scene.test.refusal(to: scene.number, fingerprint: fingerprint)
          == .keysChanged(scene.number))
      #expect(throws: MeshRefusal.keysChanged(scene.number)) {
        try scene.test.mesh.verify(scene.number, fingerprint: fingerprint)
      }
    }
    #expect(try scene.test.mesh.keys(scene.number, fingerprint: nil) == scene.people[0].keys)
    #expect(
      try scene.test.mesh.keys(scene.number, fingerprint: scene.people[1].fingerprint)
        == scene.people[1].keys)
    #expect(scene.test.mesh.takeEffects().isEmpty)
  }

  @Test("the kept person is shown and answered as before")
  func keptPerson() throws {
    var scene = try Scene()
    scene.test.hear(&scene.people[1], on: 1)
    let effects = scene.test.receiveText(from: &scene.people[0], on: 1)
    #expect(effects.texts == ["hello"])
    #expect(effects.sends(.sealed).count == 1)
  }

  @Test("other keys met before the number was pinned are warned of when they come again")
  func metBefore() throws {
    var test = TestMesh()
    test.up(1)
    var twins = ModelCryptography.triplets.prefix(2).map { Speaker($0) }
    for index in twins.indices { test.hear(&twins[index], on: 1) }
    _ = try test.send("hello", to: twins[0].number, fingerprint: twins[0].fingerprint)
    #expect(test.receiveText(from: &twins[1], on: 1).warnings.count == 1)
  }

  // MARK: accept

  @Test("accepting without a fingerprint asks which, where several claim the number")
  func acceptWantsFingerprint() throws {
    var scene = try Scene()
    scene.test.hear(&scene.people[1], on: 1)
    let both = [scene.people[0].fingerprint, scene.people[1].fingerprint].sorted()
    #expect(throws: MeshRefusal.ambiguous(scene.number, both)) {
      try scene.test.mesh.accept(scene.number, fingerprint: nil, at: scene.test.moment)
    }
    #expect(throws: MeshRefusal.unknownNumber(scene.number)) {
      try scene.test.mesh.accept(
        scene.number, fingerprint: scene.people[2].fingerprint, at: scene.test.moment)
    }
    #expect(throws: MeshRefusal.isSelf) {
      try scene.test.mesh.accept(
        scene.test.fingerprint.number, fingerprint: nil, at: scene.test.moment)
    }
    #expect(scene.test.mesh.takeEffects().isEmpty)
  }

  @Test("claimants that had to leave the table of people can still be accepted")
  func acceptTheForgotten() throws {
    var scene = try Scene()
    scene.test.hear(&scene.people[1], on: 1)
    for person in 0..<300 {
      var stranger = Speaker(UInt64(1_000 + person))
      scene.test.pass(.milliseconds(50))
      scene.test.hear(&stranger, on: 1)
    }
    let both = [scene.people[0].fingerprint, scene.people[1].fingerprint].sorted()
    #expect(throws: MeshRefusal.ambiguous(scene.number, both)) {
      try scene.test.mesh.accept(scene.number, fingerprint: nil, at: scene.test.moment)
    }
    try scene.test.mesh.accept(
      scene.number, fingerprint: scene.people[1].fingerprint, at: scene.test.moment)
    #expect(scene.test.mesh.contacts.contact(scene.number)?.keys == scene.people[1].keys)
  }

  @Test("accepting the old keys lets them be written to, and the others stay refused in silence")
  func acceptOld() throws {
    var scene = try Scene()
    let waiting = try scene.test.send("hello", to: scene.number).id
    scene.test.hear(&scene.people[1], on: 1)
    try scene.test.mesh.accept(
      scene.number, fingerprint: scene.people[0].fingerprint, at: scene.test.moment)
    let effects = scene.test.mesh.takeEffects()
    #expect(effects.changes.isEmpty)
    #expect(effects.states.isEmpty, "what waits for them waits on: \(waiting)")
    #expect(scene.test.refusal(to: scene.number) == nil)
    scene.test.pass(.seconds(1))
    let other = scene.test.hear(&scene.people[1], on: 1)
    #expect(other.warnings.isEmpty && other.people.isEmpty)
    #expect(scene.test.receiveText(from: &scene.people[1], on: 1).isEmpty)
    #expect(scene.test.refusal(to: scene.number) == nil)
    #expect(
      scene.test.refusal(to: scene.number, fingerprint: scene.people[1].fingerprint)
        == .keysChanged(scene.number))
  }

  @Test("accepting the new keys pins them, and what waits for the old ones fails")
  func acceptNew() throws {
    var scene = try Scene()
    let id = try scene.test.send("hello", to: scene.number).id
    scene.test.hear(&scene.people[1], on: 1)
    try scene.test.mesh.accept(
      scene.number, fingerprint: scene.people[1].fingerprint, at: scene.test.moment)
    let effects = scene.test.mesh.takeEffects()
    #expect(effects.changes == [.accept(scene.people[1].keys, name: "Bob")])
    #expect(
      effects.contains(.state(id, .failed(.keysChanged))))
    #expect(scene.test.mesh.waitingMessages == 0)
    #expect(effects.people.map(\.keys) == [scene.people[1].keys])
    #expect(scene.test.person(scene.people[1].keys)?.isPinned == true)
    #expect(scene.test.refusal(to: scene.number) == nil)
    #expect(scene.test.receiveText(from: &scene.people[1], on: 1).texts == ["hello"])
    // The old ones are the others now, and known to be refused.
    let old = scene.test.receiveText(from: &scene.people[0], on: 1)
    #expect(old.isEmpty)
    #expect(scene.test.refusal(to: scene.number) == nil)
    #expect(scene.test.hear(&scene.people[2], on: 1).warnings.count == 1, "third ones are new")
  }

  @Test("what was had of the new keys as a stranger's is remembered with the pin")
  func acceptRemembers() throws {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1)
    test.receiveText(from: &bob, on: 1)
    try test.mesh.accept(bob.number, fingerprint: nil, at: test.moment)
    let effects = test.mesh.takeEffects()
    #expect(effects.changes == [.accept(bob.keys, name: "Bob")])
    #expect(effects.remembered.map(\.sender) == [bob.keys])
  }

  @Test("one who was decided against can be accepted later")
  func acceptTheRejected() throws {
    var scene = try Scene()
    scene.test.hear(&scene.people[1], on: 1)
    for person in [0, 1] {
      try scene.test.mesh.accept(
        scene.number, fingerprint: scene.people[person].fingerprint, at: scene.test.moment)
    }
    #expect(scene.test.receiveText(from: &scene.people[1], on: 1).texts == ["hello"])
  }
}
