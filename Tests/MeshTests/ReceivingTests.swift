import Identity
@testable import Mesh
import Testing
import Wire

@Suite("messages that come") struct ReceivingTests {
  private func linked() -> (TestMesh<ModelCryptography>, Speaker<ModelCryptography>) {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    return (test, Speaker(2, name: "Bob"))
  }

  /// With a person pinned by a text of ours, which they have had.
  private func pinned() throws -> (TestMesh<ModelCryptography>, Speaker<ModelCryptography>) {
    var (test, bob) = linked()
    test.hear(&bob, on: 1)
    let id = try test.send("hello", to: bob.number).id
    test.receive(bob.sealed(.receipt(id), to: test.keys, at: test.wallClock), on: 1)
    return (test, bob)
  }

  @Test("one is shown with its sender, its time and the name last heard, and answered")
  func shown() throws {
    var (test, bob) = linked()
    test.hear(&bob, on: 1, hops: 1)
    let written = test.time(.seconds(-60))
    let packet = bob.text("good evening", to: test.keys, at: written)
    let effects = test.receive(packet, on: 2)
    #expect(
      effects.shown == [
        ReceivedText(
          id: MessageID(packet.header.id), sender: bob.keys, fingerprint: bob.fingerprint,
          name: "Bob", text: "good evening", time: written)
      ])
    let receipt = try #require(effects.sends.first)
    #expect(effects.sends.count == 1)
    #expect(receipt.links == [LinkID(1), LinkID(2)])
    #expect(receipt.packet.header.destination == bob.fingerprint)
    #expect(receipt.packet.header.id != packet.header.id)
    #expect(receipt.packet.header.time == test.wallClock)
    let opened = bob.cryptography.open(
      receipt.packet.view.payload, packetID: receipt.packet.header.id,
      time: receipt.packet.header.time)
    #expect(opened?.sender == test.keys)
    #expect(opened?.content == .receipt(MessageID(packet.header.id)))
    #expect(opened?.messageID == MessageID(receipt.packet.header.id))
  }

  @Test("a stranger's is shown and answered too, and can be answered in words")
  func stranger() throws {
    var (test, bob) = linked()
    let effects = test.receiveText(from: &bob, on: 1)
    #expect(effects.shown.map(\.name) == [""])
    #expect(effects.sends(.sealed).count == 1)
    #expect(effects.remembered.isEmpty, "strangers are kept in memory alone")
    #expect(try test.send("who is it?", to: bob.number).effects.sends.count == 1)
  }

  @Test("it is shown, then remembered, then answered")
  func order() throws {
    var (test, bob) = try pinned()
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    let effects = test.receive(packet, on: 1)
    try #require(effects.count == 3)
    guard case .show = effects[0], case .remember(let record) = effects[1],
      case .send = effects[2]
    else {
      Issue.record("another order: \(effects)")
      return
    }
    #expect(
      record
        == ReceivedRecord(
          sender: bob.keys, messageID: MessageID(packet.header.id), time: test.wallClock))
  }

  @Test("what was had of a stranger is remembered once we write to them, oldest first")
  func rememberedAtPinning() throws {
    for _ in 0..<20 {
      var (test, bob) = linked()
      var records: [ReceivedRecord] = []
      for _ in 0..<20 {
        let packet = bob.text("hello", to: test.keys, at: test.wallClock)
        test.receive(packet, on: 1)
        records.append(
          ReceivedRecord(
            sender: bob.keys, messageID: MessageID(packet.header.id), time: test.wallClock))
        test.pass(.milliseconds(1))
      }
      let effects = try test.send("hello", to: bob.number).effects
      #expect(effects.remembered == records)
      #expect(effects.changes == [.pin(bob.keys, name: "")])
    }
  }

  @Test("without a link there is nothing to answer on, and the message is shown all the same")
  func noLink() {
    var (test, bob) = linked()
    test.down(2)
    test.take(bob.text("hello", to: test.keys, at: test.wallClock), on: 1)
    test.mesh.linkDown(LinkID(1), at: test.moment)
    let effects = test.work()
    #expect(effects.texts == ["hello"])
    #expect(effects.sends.isEmpty)
  }

  @Test("nothing can be sealed to a sender of odd keys: shown, and left without a receipt")
  func oddKeys() {
    var (test, _) = linked()
    var odd = Speaker(ModelCryptography.unusable)
    let effects = test.receiveText(from: &odd, on: 1)
    #expect(effects.texts == ["hello"])
    #expect(effects.sends.isEmpty)
  }

  @Test("our own packets played back to us show nothing")
  func fromOurselves() {
    var (test, _) = linked()
    var self1 = Speaker(ModelCryptography(1, seed: 5))
    #expect(test.receive(self1.text("boo", to: test.keys, at: test.wallClock), on: 1).isEmpty)
    #expect(test.counter("mesh.from-ourselves") == 1)
  }

  @Test("a call signal is counted, and neither shown nor answered")
  func callSignals() {
    var (test, bob) = linked()
    let signal = bob.sealed(
      .callSignal(.end(CallNonce(random: 7))), to: test.keys, at: test.wallClock)
    #expect(test.receive(signal, on: 1).isEmpty)
    #expect(test.counter("mesh.call-signals") == 1)
  }

  @Test("junk sent ahead under a genuine packet's id poisons nothing")
  func junkAhead() {
    var (test, bob) = linked()
    var eve = Speaker(3)
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    let junk = eve.junk(to: test.fingerprint, at: test.wallClock, id: packet.header.id)
    #expect(test.receive(junk, on: 1).isEmpty)
    #expect(test.receive(packet, on: 1).texts == ["hello"])
  }

  @Test("genuine bytes under another packet id or time do not open")
  func relabelled() {
    var (test, bob) = linked()
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    for (id, time) in [
      (bob.newID(), test.wallClock), (packet.header.id, test.time(.milliseconds(1))),
    ] {
      let moved = Packet(
        kind: .sealed, hopLimit: 7, time: time, id: id, destination: test.fingerprint,
        payload: Array(packet.payload))
      #expect(test.receive(moved, on: 1).isEmpty)
    }
    #expect(test.counter("mesh.unopenable") == 2)
    #expect(test.receive(packet, on: 1).texts == ["hello"])
  }

  @Test("the name is the one last heard; of a pinned person not heard, that of the contacts")
  func names() throws {
    var book = ContactBook()
    var bob = Speaker(2, name: "Robert")
    try book.apply(.pin(bob.keys, name: "Bob"))
    var test = TestMesh(contacts: book)
    test.up(1)
    #expect(test.receiveText(from: &bob, on: 1).shown.map(\.name) == ["Bob"])
    #expect(test.hear(&bob, on: 1).changes == [.rename(bob.keys, "Robert")])
    #expect(test.receiveText(from: &bob, on: 1).shown.map(\.name) == ["Robert"])
  }

  @Test("a pinned person's new names reach the disk once a minute at most, the last one surely")
  func renaming() throws {
    var (test, bob) = try pinned()
    var changes: [ContactChange] = []
    for second in 1...59 {
      test.pass(.seconds(1))
      bob.name = "Bob \(second)"
      let effects = test.hear(&bob, on: 1)
      #expect(effects.people.map(\.name) == [bob.name])
      changes += effects.changes
    }
    #expect(changes == [.rename(bob.keys, "Bob 1")])
    test.pass(.seconds(2))
    #expect(test.hear(&bob, on: 1).changes == [.rename(bob.keys, "Bob 59")])
    #expect(test.mesh.contacts.contact(bob.number)?.name == "Bob 59")
  }
}
