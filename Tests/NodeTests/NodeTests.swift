import Chat
import Dispatch
import Identity
import Node
import Terminal
import Testing
import Wire

@Suite(.timeLimit(.minutes(1))) @MainActor struct NodeTests {
  @Test("two linked nodes hear of each other, and a text comes back as delivered")
  func textAndReceipt() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    let seen = await anna.front.event { $0.peer != nil }
    #expect(seen.peer?.name == "Ben")
    #expect(seen.peer?.isDirect == true)
    #expect(seen.peer?.isNew == true)

    anna.front.ask(.send(to: .number(ben.fingerprint.number), text: "Hello, Ben"), ref: "r1")
    let message = await ben.front.event { $0.message != nil }
    #expect(message.message?.text == "Hello, Ben")
    #expect(message.message?.name == "Anna")
    let delivered = await anna.front.event { $0.delivery?.state == .delivered }
    #expect(delivered.ref == "r1")
    let states = anna.front.events.compactMap { $0.delivery }
    #expect(states.map(\.state) == [.sent, .delivered])
    #expect(states.allSatisfy { $0.ref == "r1" && $0.id == message.message?.id })
  }

  @Test("a text to someone without a link waits, and goes out when the link is back")
  func waits() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await anna.front.event { $0.peer != nil }
    anna.transport.disconnect()
    anna.front.ask(.send(to: .fingerprint(ben.fingerprint), text: "later"))
    #expect(anna.front.events.last?.delivery?.state == .waiting)
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await anna.front.event { $0.delivery?.state == .delivered }
    #expect(ben.front.events.compactMap { $0.message?.text } == ["later"])
  }

  @Test("a packet that a full link shed is offered to it again")
  func shed() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await anna.front.event { $0.peer != nil }
    anna.transport.isFull = true
    anna.front.ask(.send(to: .number(ben.fingerprint.number), text: "through a full link"))
    #expect(ben.front.events.allSatisfy { $0.message == nil })
    anna.transport.isFull = false
    _ = await anna.front.event { $0.delivery?.state == .delivered }
  }

  @Test("a text is neither shown nor receipted while its reader is behind, and is afterwards")
  func behind() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await anna.front.event { $0.peer != nil }
    ben.front.isBehind = true
    anna.front.ask(.send(to: .number(ben.fingerprint.number), text: "take your time"))
    await turns()
    #expect(ben.front.events.allSatisfy { $0.message == nil })
    #expect(anna.front.events.compactMap { $0.delivery?.state } == [.sent])
    ben.front.isBehind = false
    ben.front.onRoom()
    _ = await anna.front.event { $0.delivery?.state == .delivered }
    #expect(ben.front.events.compactMap { $0.message?.text } == ["take your time"])
  }

  @Test("links that come and go are not told of to a reader that is behind; the newest is, later")
  func newsHeld() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    anna.front.isBehind = true
    for _ in 0..<3 {
      MemoryTransport.connect(anna.transport, ben.transport)
      await turns()
      anna.transport.disconnect()
      await turns()
    }
    MemoryTransport.connect(anna.transport, ben.transport)
    await turns()
    #expect(anna.front.events.allSatisfy { $0.peer == nil && $0.link == nil })
    anna.front.isBehind = false
    anna.front.onRoom()
    #expect(anna.front.events.compactMap { $0.link?.isUp } == [true])
    #expect(anna.front.events.compactMap { $0.peer?.isNew } == [true])
  }

  /// Far more turns of the queue than anything that is under way takes.
  private func turns() async {
    for _ in 0..<100 {
      await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    }
  }

  @Test("each refusal names its command")
  func refusals() throws {
    let anna = try TestNode("Anna")
    let stranger = Identity.generate().fingerprint
    let own = anna.fingerprint.number
    let cases: [(ChatCommand, ChatError)] = [
      (.send(to: .number(stranger.number), text: "x"), .unknownNumber(stranger.number)),
      (.send(to: .number(own), text: "x"), .isSelf),
      (.send(to: .number(stranger.number), text: ""), .empty),
      (
        .send(to: .number(stranger.number), text: String(repeating: "x", count: 8_046)),
        .tooLong(bytes: 8_046, limit: 8_045)
      ),
      (.accept(stranger.number, nil), .unknownNumber(stranger.number)),
      (.verify(.number(stranger.number), same: true), .unknownNumber(stranger.number)),
      (.block(.number(own), true), .isSelf),
      (.hangUp(), .noCall), (.answer(), .noCall), (.decline(), .noCall), (.mute(true), .noCall),
    ]
    for (index, (command, error)) in cases.enumerated() {
      anna.front.ask(command, ref: "\(index)")
      #expect(anna.front.events.last == .error(error, ref: "\(index)"))
    }
  }

  @Test("what is shown of a blocked person is nothing, and they get no receipt")
  func blocked() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await ben.front.event { $0.peer != nil }
    anna.front.ask(.block(.number(ben.fingerprint.number), true))
    ben.front.ask(.send(to: .number(anna.fingerprint.number), text: "let me in"))
    anna.front.ask(.send(to: .number(ben.fingerprint.number), text: "no"), ref: "n")
    #expect(anna.front.events.last == .error(.blocked(ben.fingerprint.number), ref: "n"))
    while anna.figure("mesh.from-blocked") == 0 { await Task.yield() }
    anna.front.ask(.block(.number(ben.fingerprint.number), false))
    ben.front.ask(.send(to: .number(anna.fingerprint.number), text: "again"))
    _ = await anna.front.event { $0.message?.text == "again" }
    #expect(anna.front.events.compactMap { $0.message?.text } == ["again"])
  }

  @Test("both ends show the same safety number, and mark it once it was compared")
  func safetyNumbers() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await ben.front.event { $0.peer != nil }
    func safety(_ front: RecordingFront, _ who: Fingerprint, same: Bool) -> Chat.SafetyNumber? {
      front.ask(.verify(.number(who.number), same: same), ref: "v")
      if case .safety(let number, "v") = front.events.last { return number }
      return nil
    }
    let one = try #require(safety(anna.front, ben.fingerprint, same: false))
    let other = try #require(safety(ben.front, anna.fingerprint, same: true))
    #expect(one.digits == other.digits)
    #expect(one.digits.split(separator: " ").count == 12)
    #expect(!one.isVerified)
    #expect(other.isVerified)
    ben.front.ask(.peers)
    if case .peers(let peers, _) = ben.front.events.last {
      #expect(peers.map(\.isVerified) == [true])
    } else {
      Issue.record("no list of peers")
    }
  }

  @Test("messages still waiting are named when the node ends")
  func namesWaiting() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await anna.front.event { $0.peer != nil }
    anna.transport.isDeaf = true
    anna.front.ask(.send(to: .number(ben.fingerprint.number), text: "into the void"), ref: "v")
    anna.node.stop()
    #expect(anna.front.events.last?.delivery?.state == .failed(.stopped))
    #expect(anna.front.events.last?.ref == "v")
    #expect(anna.front.isStopped)
  }

  @Test("a link that sends what no honest device lets pass is closed")
  func misbehaved() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    for index in 0..<100 as Range<UInt64> {
      var id = PacketID()
      id = PacketID([UInt8](repeating: UInt8(index), count: 16)) ?? id
      anna.transport.receive(
        Packet(
          kind: .voice, hopLimit: 1, time: NodeClock.wallClock, id: id, destination: .everyone,
          payload: [UInt8](repeating: 0, count: 21)))
    }
    #expect(anna.transport.closed.count == 1)
  }

  @Test("a temporary identity is said at once, with its reason")
  func temporary() throws {
    let anna = try TestNode("Anna") { $0.temporaryBecause = "wrong passphrase" }
    #expect(
      anna.front.events.dropFirst().first
        == .warning(.temporaryIdentity(why: "wrong passphrase")))
  }

  @Test("a statistic with a bound never stands over it")
  func statistics() async throws {
    let (anna, ben) = (try TestNode("Anna"), try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await anna.front.event { $0.peer != nil }
    anna.front.ask(.stats, ref: "s")
    guard case .stats(let figures, "s") = anna.front.events.last else {
      Issue.record("no statistics")
      return
    }
    #expect(figures.contains { $0.name == "outbox-messages" && $0.limit == 1_024 })
    #expect(figures.allSatisfy { $0.value <= $0.limit ?? .max })
    #expect(Set(figures.map(\.name)).count == figures.count, "each name stands once")
  }

  @Test("a tap sees each packet as it crosses, and none that was shed")
  func tap() async throws {
    let tap = RecordingTap()
    let (anna, ben) = (try TestNode("Anna") { $0.tap = tap }, try TestNode("Ben"))
    MemoryTransport.connect(anna.transport, ben.transport)
    _ = await anna.front.event { $0.peer != nil }
    // What is under way comes in a turn later.
    while tap.cameIn.count < ben.transport.sent.count { await Task.yield() }
    #expect(tap.wentOut.map(\.packet) == anna.transport.sent)
    #expect(tap.cameIn.map(\.packet) == ben.transport.sent)
    #expect((tap.wentOut + tap.cameIn).allSatisfy { $0.link == "wifi-1" })
    anna.transport.isFull = true
    let before = tap.wentOut.count
    anna.front.ask(.send(to: .number(ben.fingerprint.number), text: "shed"))
    #expect(tap.wentOut.count == before)
    tap.leftOut = 3
    anna.front.ask(.stats)
    let statistics = try #require(
      anna.front.events.compactMap { event -> [Statistic]? in
        if case .stats(let list, _) = event { list } else { nil }
      }.last)
    #expect(statistics.contains(Statistic(name: "capture.left-out", value: 3)))
  }
}
