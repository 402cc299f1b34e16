import Identity
import Mesh
import Outbox
import Testing
import Wire

@Suite("sending") struct SendingTests {
  /// Someone heard on link 1.
  private func known() -> (TestMesh<ModelCryptography>, Speaker<ModelCryptography>) {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1)
    return (test, bob)
  }

  @Test("a text goes out on every link, under its message's id, sealed to its recipient")
  func onEveryLink() throws {
    var (test, bob) = known()
    test.up(2)
    let (id, effects) = try test.send("hello, Bob", to: bob.number)
    let sends = effects.sends
    #expect(sends.count == 1)
    let packet = try #require(sends.first?.packet)
    #expect(sends.first?.links == [LinkID(1), LinkID(2)])
    #expect(MessageID(packet.header.id) == id)
    #expect(packet.header.kind == .sealed)
    #expect(packet.header.time == test.wallClock)
    #expect(packet.header.destination == bob.fingerprint)
    #expect(packet.header.hopLimit == 7)
    let opened = bob.cryptography.open(
      packet.view.payload, packetID: packet.header.id, time: packet.header.time)
    #expect(
      opened
        == OpenedMessage(sender: test.keys, messageID: id, content: .text("hello, Bob")))
    #expect(effects.states == [.sent])
    #expect(test.mesh.waitingMessages == 1)
  }

  @Test("without a link it waits, and is offered to the first one that comes up, oldest first")
  func waits() throws {
    var (test, bob) = known()
    test.down(1)
    let first = try test.send("one", to: bob.number)
    let second = try test.send("two", to: bob.number)
    #expect(first.effects.states == [.waiting])
    #expect(first.effects.sends.isEmpty)
    let up = test.up(2) + test.live(.milliseconds(100))
    #expect(
      up.sends(.sealed).map(\.packet.header.id) == [PacketID(first.id), PacketID(second.id)])
    #expect(up.sends(.sealed).allSatisfy { $0.links == [LinkID(2)] })
    #expect(up.states == [.sent, .sent])
  }

  @Test(
    "the hop limit falls as more devices are near",
    arguments: [
      (0, 7), (1, 7), (2, 7), (3, 7), (5, 7), (6, 5), (10, 5), (11, 4), (20, 4), (21, 3), (40, 3),
    ])
  func hopLimits(devices: Int, hopLimit: Int) throws {
    var test = TestMesh()
    test.up(1_000)
    var far = Speaker(2)
    test.hear(&far, on: 1_000, hops: 1)
    for device in 0..<devices {
      test.up(UInt32(device))
      var near = Speaker(UInt64(100 + device))
      test.hear(&near, on: UInt32(device))
      test.pass(.seconds(1))
    }
    let sent = try test.send("hello", to: far.number).effects.sends(.sealed)
    #expect(sent.map(\.packet.header.hopLimit) == [UInt8(hopLimit)])
    // What is offered later has the hop limit of then.
    for device in 0..<devices { test.down(UInt32(device)) }
    #expect(test.up(2_000).sends(.sealed).map(\.packet.header.hopLimit) == [7])
  }

  @Test("a device near on two links counts once")
  func countsOnce() throws {
    var (test, bob) = known()
    for link in 2...9 as ClosedRange<UInt32> {
      test.up(link)
      test.pass(.milliseconds(1))
      test.hear(&bob, on: link)
    }
    #expect(
      try test.send("hello", to: bob.number).effects.sends.map(\.packet.header.hopLimit) == [7])
  }

  @Test("the longest text that a message carries passes, a byte more does not")
  func longest() throws {
    var (test, bob) = known()
    let longest = String(repeating: "é", count: 4_022) + "x"
    #expect(longest.utf8.count == 8_045)
    let sent = try test.send(longest, to: bob.number)
    let packet = try #require(sent.effects.sends.first?.packet)
    let opened = bob.cryptography.open(
      packet.view.payload, packetID: packet.header.id, time: packet.header.time)
    #expect(opened?.content == .text(longest))
    #expect(
      test.refusal(longest + "x", to: bob.number) == .tooLong(bytes: 8_046, limit: 8_045))
    #expect(test.mesh.waitingMessages == 1)
  }

  @Test("what cannot be sent is refused with its reason, and nothing comes of it")
  func refusals() throws {
    var (test, bob) = known()
    let stranger = Speaker(77)
    #expect(test.refusal("", to: bob.number) == .empty)
    #expect(test.refusal(to: stranger.number) == .unknownNumber(stranger.number))
    #expect(
      test.refusal(to: bob.number, fingerprint: stranger.fingerprint)
        == .unknownNumber(bob.number))
    #expect(test.refusal(to: test.fingerprint.number) == .isSelf)
    #expect(
      test.refusal(to: test.fingerprint.number, fingerprint: test.fingerprint) == .isSelf)
    try test.mesh.block(bob.number, true, at: test.moment)
    #expect(test.refusal(to: bob.number) == .blocked(bob.number))
    #expect(test.mesh.takeEffects().changes == [.block(bob.number)])
    #expect(test.mesh.contacts.contacts.isEmpty)
    #expect(test.mesh.waitingMessages == 0)
    try test.mesh.block(bob.number, false, at: test.moment)
    #expect(test.refusal(to: bob.number) == nil)
  }

  @Test("of several keys with one number the fingerprint says which; without it, both are named")
  func ambiguous() throws {
    var test = TestMesh()
    test.up(1)
    var twins = ModelCryptography.triplets.prefix(2).map { Speaker($0) }
    for index in twins.indices { test.hear(&twins[index], on: 1, hops: 1) }
    let number = twins[0].number
    #expect(twins[1].number == number)
    #expect(
      test.refusal(to: number) == .ambiguous(number, twins.map(\.fingerprint).sorted()))
    let sent = try test.send("hello", to: number, fingerprint: twins[1].fingerprint).effects
    #expect(sent.sends.map(\.packet.header.destination) == [twins[1].fingerprint])
    #expect(sent.changes == [.pin(twins[1].keys, name: "")])
  }

  @Test("keys that share even the fingerprint stay ambiguous")
  func sameFingerprint() {
    var twins = ModelCryptography.triplets.prefix(2).map { Speaker($0) }
    let fingerprint = twins[0].fingerprint
    var cryptography = ModelCryptography(1)
    cryptography.fingerprints[twins[1].keys] = fingerprint
    var test = TestMesh(cryptography)
    test.up(1)
    for index in twins.indices { test.hear(&twins[index], on: 1, hops: 1) }
    #expect(
      test.refusal(to: fingerprint.number, fingerprint: fingerprint)
        == .ambiguous(fingerprint.number, [fingerprint, fingerprint]))
  }

  @Test("the first text pins the keys, with the name last heard; the next changes nothing")
  func pins() throws {
    var (test, bob) = known()
    #expect(test.person(bob.keys)?.isPinned == false)
    #expect(
      try test.send("one", to: bob.number).effects.changes == [.pin(bob.keys, name: "Bob")])
    #expect(try test.send("two", to: bob.number).effects.changes.isEmpty)
    #expect(test.person(bob.keys)?.isPinned == true)
  }

  @Test("no stranger pushes a pin out: a pinned person can always be written to")
  func pinsStay() throws {
    var (test, bob) = known()
    _ = try test.send("one", to: bob.number)
    for link in 2...6 as ClosedRange<UInt32> {
      test.up(link)
      for person in 0..<300 {
        var stranger = Speaker(UInt64(link) * 1_000 + UInt64(person))
        test.hear(&stranger, on: link)
        test.pass(.milliseconds(50))
      }
    }
    #expect(test.counter("mesh.people") == 1_024)
    #expect(try test.send("two", to: bob.number).effects.sends.count == 1)
    #expect(test.person(bob.keys)?.name == "Bob")
  }

  @Test("a full outbox refuses, and keeps nothing of what it refused")
  func outboxFull() throws {
    var (test, bob) = known()
    test.down(1)
    for _ in 0..<1_024 { _ = try test.send("hello", to: bob.number) }
    #expect(test.refusal(to: bob.number) == .outboxFull(messages: 1_024, limit: 1_024))
    #expect(test.counter("mesh.own-texts") == 1_024)
    #expect(test.mesh.takeEffects().isEmpty)
  }

  @Test("an outbox full of bytes refuses too")
  func outboxFullOfBytes() throws {
    var (test, bob) = known()
    test.down(1)
    let long = String(repeating: "x", count: 8_045)
    var count = 0
    while test.refusal(long, to: bob.number) == nil { count += 1 }
    #expect(count == 4 * 1_024 * 1_024 / (8_045 + 8_284))
    #expect(test.refusal(long, to: bob.number) == .outboxFull(messages: count, limit: count))
    #expect(test.counter("mesh.own-texts") == count)
  }

  @Test("nothing is sent to keys that nothing can be sealed to, and they are not pinned")
  func unusableKeys() {
    var test = TestMesh()
    test.up(1)
    var odd = Speaker(ModelCryptography.unusable)
    test.hear(&odd, on: 1)
    #expect(test.refusal(to: odd.number) == .unusableKeys(odd.number))
    #expect(test.mesh.waitingMessages == 0)
    #expect(test.mesh.contacts.contacts.isEmpty)
    #expect(test.mesh.takeEffects().isEmpty)
  }

  @Test("nothing is sent to whom the contacts have no room for, then or later")
  func contactsFull() throws {
    var book = ContactBook()
    for person in 0..<ContactBook.maximumContacts {
      try book.apply(.pin(ModelCryptography.keys(of: UInt64(10_000 + person)), name: ""))
    }
    var test = TestMesh(contacts: book)
    test.up(1)
    var bob = Speaker(2)
    test.hear(&bob, on: 1)
    #expect(test.refusal(to: bob.number) == .contactsFull)
    #expect(test.mesh.waitingMessages == 0)
    #expect(test.live(.seconds(60)).sends(.sealed).isEmpty)
    #expect(test.up(2).sends(.sealed).isEmpty)
    let pinned = ModelCryptography.keys(of: 10_000).fingerprint
    #expect(test.refusal(to: pinned.number) == nil, "the pinned can be written to")
  }
}
