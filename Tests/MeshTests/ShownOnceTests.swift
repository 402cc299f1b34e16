import Identity
import Mesh
import Testing
import Wire

/// No message is shown twice, whatever way it comes again.
@Suite("shown once") struct ShownOnceTests {
  /// A mesh with two links, and a friend who is pinned or a stranger.
  private func test(isPinned: Bool) throws -> (
    TestMesh<ModelCryptography>, Speaker<ModelCryptography>
  ) {
    var book = ContactBook()
    let bob = Speaker(2)
    if isPinned { try book.apply(.pin(bob.keys, name: "Bob")) }
    var test = TestMesh(contacts: book)
    test.up(1)
    test.up(2)
    return (test, bob)
  }

  @Test("copies on other links, with other hops, are not shown", arguments: [true, false])
  func copies(isPinned: Bool) throws {
    var (test, bob) = try test(isPinned: isPinned)
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    #expect(test.receive(packet, on: 1).texts == ["hello"])
    for link in [1, 2, 1] as [UInt32] {
      for hops in [7, 1, 3] as [UInt8] {
        #expect(test.receive(Packet(packet, hopLimit: hops), on: link).isEmpty)
      }
    }
  }

  @Test("one sent again under a fresh packet id is not shown", arguments: [true, false])
  func sentAgain(isPinned: Bool) throws {
    var (test, bob) = try test(isPinned: isPinned)
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    let message = MessageID(packet.header.id)
    test.receive(packet, on: 1)
    for _ in 0..<20 {
      test.pass(.seconds(30))
      let again = bob.text("hello", to: test.keys, at: packet.header.time, message: message)
      #expect(test.receive(again, on: 2).texts.isEmpty)
    }
    #expect(test.counter("mesh.repeated") == 20)
  }

  @Test("nor is the first when the second came before it", arguments: [true, false])
  func reordered(isPinned: Bool) throws {
    var (test, bob) = try test(isPinned: isPinned)
    let first = bob.text("hello", to: test.keys, at: test.wallClock)
    let again = bob.text(
      "hello", to: test.keys, at: first.header.time, message: MessageID(first.header.id))
    #expect(test.receive(again, on: 1).texts == ["hello"])
    #expect(test.receive(first, on: 1).texts.isEmpty)
  }

  @Test("two messages with one text are two", arguments: [true, false])
  func twoAlike(isPinned: Bool) throws {
    var (test, bob) = try test(isPinned: isPinned)
    #expect(test.receiveText("yes", from: &bob, on: 1).texts == ["yes"])
    #expect(test.receiveText("yes", from: &bob, on: 1).texts == ["yes"])
  }

  @Test("two people's messages of one id are two", arguments: [true, false])
  func oneID(isPinned: Bool) throws {
    var (test, bob) = try test(isPinned: isPinned)
    var eve = Speaker(3)
    let first = bob.text("from Bob", to: test.keys, at: test.wallClock)
    let other = eve.text(
      "from Eve", to: test.keys, at: test.wallClock, message: MessageID(first.header.id))
    #expect(test.receive(other, on: 1).texts == ["from Eve"])
    #expect(test.receive(first, on: 1).texts == ["from Bob"])
  }

  @Test("a recording is not shown after 1,024 other packets for us", arguments: [true, false])
  func afterOtherPackets(isPinned: Bool) throws {
    var (test, bob) = try test(isPinned: isPinned)
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    test.receive(packet, on: 1)
    var eve = Speaker(3)
    for _ in 0..<1_024 { test.receive(eve.junk(to: test.fingerprint, at: test.wallClock), on: 2) }
    let opened = try #require(test.counter("mesh.opened"))
    #expect(test.receive(packet, on: 1).isEmpty)
    #expect(test.counter("mesh.opened") == opened + 1, "the router had forgotten it")
  }

  @Test("nor after 30 minutes, nor as long as it may live", arguments: [true, false])
  func afterTime(isPinned: Bool) throws {
    var (test, bob) = try test(isPinned: isPinned)
    // As far ahead as may be, so that it may live longest.
    let packet = bob.text("hello", to: test.keys, at: test.time(.seconds(900)))
    #expect(test.receive(packet, on: 1).texts == ["hello"])
    let start = test.now
    for seconds in [1_801, 3_602, 6 * 3_600 + 900] {
      test.pass(start + .seconds(seconds) - test.now)
      let opened = try #require(test.counter("mesh.opened"))
      #expect(test.receive(packet, on: 2).isEmpty)
      #expect(test.counter("mesh.opened") == opened + 1, "\(seconds) s: the router let it pass")
    }
    test.pass(.seconds(1_801))
    #expect(test.receive(packet, on: 2).isEmpty)
    #expect(test.counter("router.dropped-too-old") == 1)
  }

  @Test("nor after a restart, when its sender was pinned")
  func afterRestart() throws {
    var (test, bob) = try test(isPinned: true)
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    let records = test.receive(packet, on: 1).remembered
    #expect(records.count == 1)
    var next = TestMesh(contacts: test.mesh.contacts, received: records)
    next.up(1)
    #expect(next.receive(packet, on: 1).isEmpty, "and a recording gets no receipt")
    #expect(next.counter("mesh.repeated") == 1)
    let again = bob.text(
      "hello", to: next.keys, at: packet.header.time, message: MessageID(packet.header.id))
    let effects = next.receive(again, on: 1)
    #expect(effects.texts.isEmpty)
    #expect(effects.sends(.sealed).count == 1, "a sender who still waits gets theirs")
  }

  @Test("what the disk remembers counts for 6 h 15 min from the start")
  func restoredFor() throws {
    var (test, bob) = try test(isPinned: true)
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    let records = test.receive(packet, on: 1).remembered
    // A clock that was set back meanwhile makes the recording young again.
    var next = TestMesh(contacts: test.mesh.contacts, received: records)
    next.up(1)
    next.now = next.now + .seconds(6 * 3_600 + 900)
    #expect(next.receive(packet, on: 1).texts.isEmpty)
  }

  @Test("records of people who are no longer pinned take no memory")
  func strangersRecords() throws {
    let records = (0..<100).map {
      ReceivedRecord(
        sender: ModelCryptography.keys(of: 2), messageID: MessageID(hex: hex($0)) ?? MessageID(),
        time: .zero)
    }
    let test = TestMesh(received: records)
    #expect(test.counter("mesh.pinned-messages") == 0)
  }

  private func hex(_ value: Int) -> String {
    String(repeating: "0", count: 30) + [UInt8(value)].hex
  }

  @Test("of a sender whose table is full, what cannot be told from the shown is refused in silence")
  func tooOldToTell() throws {
    var (test, bob) = try test(isPinned: true)
    let start = test.wallClock
    let records = (0..<4_097).map { number in
      ReceivedRecord(
        sender: bob.keys, messageID: MessageID(bob.newID()),
        time: start.advanced(by: .milliseconds(number)))
    }
    var next = TestMesh(contacts: test.mesh.contacts, received: records)
    next.up(1)
    #expect(next.counter("mesh.pinned-messages") == 4_096)
    #expect(next.receive(bob.text("old", to: next.keys, at: start), on: 1).isEmpty)
    #expect(next.counter("mesh.too-old-to-tell") == 1)
    let newer = bob.text("newer", to: next.keys, at: start.advanced(by: .milliseconds(1)))
    #expect(next.receive(newer, on: 1).texts == ["newer"])
  }

  @Test("nor after its sender was pinned meanwhile")
  func pinnedMeanwhile() throws {
    var (test, bob) = try test(isPinned: false)
    let packet = bob.text("hello", to: test.keys, at: test.wallClock)
    test.receive(packet, on: 1)
    _ = try test.send("hello yourself", to: bob.number)
    let again = bob.text(
      "hello", to: test.keys, at: packet.header.time, message: MessageID(packet.header.id))
    #expect(test.receive(again, on: 1).texts.isEmpty)
  }
}
