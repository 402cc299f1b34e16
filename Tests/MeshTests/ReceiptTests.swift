import Identity
import Mesh
import Outbox
import Testing
import Wire

/// A receipt may be lost: a message that comes again is answered again, within bounds.
@Suite("receipts again", .serialized) struct ReceiptTests {
  /// A mesh that has shown one message, of someone pinned or of a stranger.
  private struct Scene {
    var test: TestMesh<ModelCryptography>
    var bob = Speaker(2)
    let first: Packet

    init(isPinned: Bool) throws {
      var book = ContactBook()
      if isPinned { try book.apply(.pin(bob.keys, name: "Bob")) }
      test = TestMesh(contacts: book)
      test.up(1)
      first = bob.text("hello", to: test.keys, at: test.wallClock)
      try #require(test.receive(first, on: 1).sends(.sealed).count == 1)
    }

    /// Sends the message again, under a fresh id or this one; whether a receipt came.
    mutating func again(_ id: PacketID? = nil, _ message: MessageID? = nil) -> Bool {
      let packet = bob.text(
        "hello", to: test.keys, at: first.header.time,
        message: message ?? MessageID(first.header.id), id: id)
      let effects = test.receive(packet, on: 1)
      #expect(effects.texts.isEmpty)
      return !effects.sends(.sealed).isEmpty
    }
  }

  @Test(
    "a message that comes again is answered, a second after its last receipt at the earliest",
    arguments: [true, false])
  func onceASecond(isPinned: Bool) throws {
    var scene = try Scene(isPinned: isPinned)
    scene.test.pass(.nanoseconds(999_999_999))
    #expect(scene.again() == false)
    scene.test.pass(.nanoseconds(1))
    #expect(scene.again() == true)
    scene.test.pass(.milliseconds(999))
    #expect(scene.again() == false)
    scene.test.pass(.milliseconds(1))
    #expect(scene.again() == true)
  }

  @Test("every receipt is a packet of its own")
  func freshPackets() throws {
    var scene = try Scene(isPinned: true)
    var ids: Set<PacketID> = []
    for _ in 0..<5 {
      scene.test.pass(.seconds(1))
      let packet = scene.bob.text(
        "hello", to: scene.test.keys, at: scene.first.header.time,
        message: MessageID(scene.first.header.id))
      ids.formUnion(scene.test.receive(packet, on: 1).sends.map(\.packet.header.id))
    }
    #expect(ids.count == 5)
  }

  @Test("under a packet id it was opened with before, it is not", arguments: [true, false])
  func knownPacketIDs(isPinned: Bool) throws {
    var scene = try Scene(isPinned: isPinned)
    var eve = Speaker(3)
    let fresh = scene.bob.newID()
    scene.test.pass(.seconds(1))
    #expect(scene.again(fresh) == true)
    // Recordings, once the router has forgotten them.
    for _ in 0..<1_024 {
      scene.test.receive(eve.junk(to: scene.test.fingerprint, at: scene.test.wallClock), on: 1)
    }
    scene.test.pass(.seconds(10))
    #expect(scene.again(scene.first.header.id) == false)
    #expect(scene.again(fresh) == false)
    #expect(scene.test.counter("mesh.repeated") == 3)
    #expect(scene.again() == true)
  }

  @Test("the first packet counts as opened only when it was", arguments: [true, false])
  func firstPacketLate(isPinned: Bool) throws {
    var book = ContactBook()
    var bob = Speaker(2)
    if isPinned { try book.apply(.pin(bob.keys, name: "Bob")) }
    var test = TestMesh(contacts: book)
    test.up(1)
    let first = bob.text("hello", to: test.keys, at: test.wallClock)
    let second = bob.text(
      "hello", to: test.keys, at: test.wallClock, message: MessageID(first.header.id))
    #expect(test.receive(second, on: 1).sends(.sealed).count == 1)
    test.pass(.seconds(1))
    let effects = test.receive(first, on: 1)
    #expect(effects.texts.isEmpty)
    #expect(effects.sends(.sealed).count == 1)
  }

  @Test("one sender gets ten at once, then one a second", arguments: [true, false])
  func tenAtOnce(isPinned: Bool) throws {
    var scene = try Scene(isPinned: isPinned)
    var messages: [MessageID] = []
    for _ in 0..<30 {
      let packet = scene.bob.text("hello", to: scene.test.keys, at: scene.test.wallClock)
      // First receipts are not held back.
      #expect(scene.test.receive(packet, on: 1).sends(.sealed).count == 1)
      messages.append(MessageID(packet.header.id))
    }
    scene.test.pass(.seconds(100))
    var answers = messages.filter { scene.again(nil, $0) }.count
    #expect(answers == 10)
    for _ in 0..<5 {
      scene.test.pass(.seconds(1))
      answers = messages.filter { scene.again(nil, $0) }.count
      #expect(answers == 1)
    }
  }

  @Test("one sender's repeats take nothing from another's", arguments: [true, false])
  func perSender(isPinned: Bool) throws {
    var scene = try Scene(isPinned: isPinned)
    var eve = Speaker(3)
    let message = MessageID(eve.newID())
    for _ in 0..<100 {
      scene.test.pass(.milliseconds(1_000))
      for _ in 0..<3 {
        let packet = eve.text(
          "flood", to: scene.test.keys, at: scene.test.wallClock, message: message)
        scene.test.receive(packet, on: 1)
      }
    }
    #expect(scene.again() == true)
  }

  @Test("a flood of messages brings no more receipts to other links than its own link may relay")
  func floodOfReceipts() {
    var test = TestMesh()
    for link: UInt32 in 1...3 { test.up(link) }
    var receipts: [UInt32: Int] = [:]
    func count(_ effects: [MeshEffect]) {
      for send in effects.sends(.sealed) {
        for link in send.links { receipts[link.rawValue, default: 0] += 1 }
      }
    }
    for person: UInt64 in 0..<1_000 {
      var stranger = Speaker<ModelCryptography>(10 + person)
      count(test.receiveText(from: &stranger, on: 2))
    }
    #expect(receipts == [1: 400, 2: 1_000, 3: 400])
    test.pass(.seconds(1))
    for person: UInt64 in 0..<200 {
      var stranger = Speaker<ModelCryptography>(2_000 + person)
      count(test.receiveText(from: &stranger, on: 2))
    }
    #expect(receipts == [1: 500, 2: 1_200, 3: 500])
    // Whoever is on another link has a share of their own.
    var bob = Speaker<ModelCryptography>(2)
    count(test.receiveText(from: &bob, on: 1))
    #expect(receipts == [1: 501, 2: 1_201, 3: 501])
  }

  @Test("a flood whose link went down brings no more receipts than one link's share")
  func floodOfReceiptsFromGoneLinks() {
    var test = TestMesh()
    test.up(1)
    var receipts = 0
    for link: UInt32 in 2...4 {
      test.up(link)
      for person in 0..<400 {
        let stranger = UInt64(link) * 1_000 + UInt64(person)
        var speaker = Speaker<ModelCryptography>(stranger)
        test.take(speaker.text("flood", to: test.keys, at: test.wallClock), on: link)
      }
      test.down(link)
      receipts += test.work().sends(.sealed).count
    }
    #expect(receipts == 400)
  }

  @Test("a lost receipt comes again when the sender sends again")
  func lostReceipt() throws {
    let net = TestNet<ModelCryptography>(seed: 1)
    let (ada, bob) = (net.add(person: 1), net.add(person: 2))
    let line = net.join(ada, bob)
    net.run(for: .seconds(3))
    net.set(line, .dead, from: bob)
    let id = try net.send("hello", from: ada, to: bob)
    net.run(for: .seconds(5))
    #expect(net[bob].effects.texts == ["hello"])
    #expect(net[ada].effects.states == [.sent])
    net.set(line, .perfect)
    net.run(for: .seconds(40))
    #expect(net[ada].effects.states == [.sent, .delivered])
    #expect(net[bob].effects.texts == ["hello"])
    #expect(net[bob].effects.remembered.isEmpty)
    #expect(net[ada].mesh.waitingMessages == 0, "\(id)")
  }
}
