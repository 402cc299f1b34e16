import Chat
import Identity
import Node
import Testing
import Wire

@Suite("Calls of a node", .timeLimit(.minutes(1))) @MainActor struct NodeCallTests {
  private func pair(
    _ change: (inout Node.Parts) -> Void
  ) async throws -> (ada: TestNode, ben: TestNode) {
    let (ada, ben) = (try TestNode("Ada"), try TestNode("Ben", change))
    MemoryTransport.connect(ada.transport, ben.transport)
    _ = await ada.front.event { $0.peer != nil }
    _ = await ben.front.event { $0.peer != nil }
    return (ada, ben)
  }

  @Test("whoever calls a node that answers by itself is answered, and is not pinned by that")
  func answersByItself() async throws {
    let (ada, ben) = try await pair { $0.answersCalls = true }
    ada.front.ask(.call(.number(ben.fingerprint.number)))
    _ = await ada.front.event { $0.call?.state == .connected }
    _ = await ben.front.event { $0.call?.state == .connected }
    #expect(ben.front.events.compactMap { $0.call?.state }.prefix(2) == [.ringing, .connected])
    ada.front.ask(.hangUp())
    let ended = await ben.front.event { $0.call?.state == .ended(.remoteEnded) }
    #expect(ended.call?.peer == ada.fingerprint)
  }

  @Test("an echo sends texts back, and two of them do not go on for ever")
  func echoOfText() async throws {
    let ada = try TestNode("Ada") { $0.isEchoService = true }
    let ben = try TestNode("Ben") { $0.isEchoService = true }
    MemoryTransport.connect(ada.transport, ben.transport)
    _ = await ada.front.event { $0.peer != nil }
    _ = await ben.front.event { $0.peer != nil }
    ada.front.ask(.send(to: .number(ben.fingerprint.number), text: "ping"))
    func count(_ node: TestNode) -> Int { node.front.events.filter { $0.message != nil }.count }
    while count(ada) + count(ben) < 2 { await Task.yield() }
    // Each answers the same text four times at the most: nine messages in all, and then silence.
    while count(ada) + count(ben) < 8 { await Task.yield() }
    for _ in 0..<200 { await Task.yield() }
    #expect(count(ada) + count(ben) <= 9)
    #expect(count(ada) <= 4)
  }

  @Test("a command that names another call is refused")
  func otherNonce() async throws {
    let (ada, ben) = try await pair { _ in }
    ada.front.ask(.call(.number(ben.fingerprint.number)))
    let ringing = await ben.front.event { $0.call?.state == .ringing }
    let other = CallNonce(random: 7)
    for command in [ChatCommand.answer(other), .decline(other), .hangUp(other)] {
      ben.front.ask(command, ref: "x")
      #expect(ben.front.events.last == .error(.noCall, ref: "x"))
    }
    ben.front.ask(.answer(ringing.call?.nonce))
    _ = await ada.front.event { $0.call?.state == .connected }
    ben.front.ask(.hangUp(ringing.call?.nonce))
    _ = await ada.front.event { $0.call?.state == .ended(.remoteEnded) }
  }
}
