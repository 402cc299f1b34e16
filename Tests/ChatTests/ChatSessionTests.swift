import Testing
import Wire

@testable import Chat

@Suite("Interactive session")
struct ChatSessionTests {
  private var session: ChatSession {
    var session = ChatSession()
    let known = ChatEvent.peers(
      [.sample(.alice, "Alice", verified: true), .sample(.bob, "Bob Jones")], ref: "known")
    _ = session.entries(for: known, at: .noon)
    return session
  }

  private func rows(_ reactions: [Reaction]) -> [String] {
    reactions.flatMap { reaction -> [String] in
      guard case .say(let entry) = reaction else { return [] }
      return entry.rows(columns: nil).map(\.plain)
    }
  }

  private func requests(_ reactions: [Reaction]) -> [ChatRequest] {
    reactions.compactMap { reaction -> ChatRequest? in
      if case .request(let request) = reaction { request } else { nil }
    }
  }

  @Test("who is known is asked for at the start and not shown")
  func opening() {
    var session = ChatSession()
    #expect(session.openingRequests == [ChatRequest(.peers, ref: "known")])
    #expect(
      session.entries(for: .peers([.sample(.alice, "Alice")], ref: "known"), at: .noon).isEmpty)
    #expect(session.completion(of: "/to A").candidates.count == 1)
  }

  @Test("text with no conversation open goes nowhere and says how to open one")
  func nobody() {
    var session = self.session
    let reactions = session.enter("hello", at: .noon)
    #expect(requests(reactions).isEmpty)
    #expect(rows(reactions).first?.contains("/to NUMBER or NAME") == true)
  }

  @Test("text goes to the open conversation, exactly as typed")
  func send() {
    var session = self.session
    let opened = session.enter("/to alice", at: .noon)
    #expect(
      rows(opened) == ["14:34 * what you type now goes to Alice [E492-6D25], verified"])
    #expect(session.prompt.plain == "Alice [E492-6D25]> ")
    #expect(
      requests(session.enter("  two\tspaces ", at: .noon)) == [
        ChatRequest(.send(to: .fingerprint(.alice), text: "  two\tspaces "), ref: "m1")
      ])
    #expect(
      requests(session.enter("//who", at: .noon)) == [
        ChatRequest(.send(to: .fingerprint(.alice), text: "/who"), ref: "m2")
      ])
  }

  @Test("a pasted text of several rows is sent and never carried out")
  func paste() {
    var session = self.session
    _ = session.enter("/to alice", at: .noon)
    #expect(
      requests(session.enter("/quit\n/block Bob Jones", at: .noon)) == [
        ChatRequest(.send(to: .fingerprint(.alice), text: "/quit\n/block Bob Jones"), ref: "m1")
      ])
  }

  @Test("a text over the limit is refused with the limit named, and nothing is requested")
  func tooLong() {
    var session = self.session
    _ = session.enter("/to alice", at: .noon)
    let reactions = session.enter(String(repeating: "é", count: 4_023), at: .noon)
    #expect(requests(reactions).isEmpty)
    #expect(rows(reactions).first?.contains("8046 bytes") == true)
    #expect(rows(reactions).first?.contains("takes 8045") == true)
    #expect(requests(session.enter(String(repeating: "x", count: 8_045), at: .noon)).count == 1)
  }

  @Test(
    "commands become requests",
    arguments: [
      ("/who", .peers), ("/links", .links), ("/stats", .stats), ("/answer", .answer()),
      ("/decline", .decline()), ("/hangup", .hangUp()), ("/quit", .quit), ("/announce", .announce),
      ("/call Alice", .call(.fingerprint(.alice))),
      ("/call E492-6D25", .call(.number(Fingerprint.alice.number))),
      ("/block bob jones", .block(.fingerprint(.bob), true)),
      ("/unblock M492-6D25", .block(.number(Fingerprint.bob.number), false)),
      ("/verify Alice", .verify(.fingerprint(.alice), same: false)),
      ("/verify Alice same", .verify(.fingerprint(.alice), same: true)),
      ("/accept E492 6D25", .accept(Fingerprint.alice.number, nil)),
      ("/accept E492-6D25 7112233445566778", .accept(Fingerprint.alice.number, .alice)),
      ("/accept 7112233445566778", .accept(Fingerprint.alice.number, .alice)),
    ] as [(String, ChatCommand)])
  func commands(line: String, command: ChatCommand) {
    var session = self.session
    #expect(requests(session.enter(line, at: .noon)).map(\.command) == [command])
  }

  @Test("answering is about the call that shows, and not about one that just took its place")
  func answering() {
    var session = self.session
    let (one, other) = (CallNonce(random: 1), CallNonce(random: 2))
    func call(_ state: CallStatus.State, _ peer: Fingerprint, _ nonce: CallNonce) -> ChatEvent {
      .call(CallStatus(state: state, peer: peer, nonce: nonce))
    }
    _ = session.entries(for: call(.ringing, .bob, one), at: .noon)
    #expect(requests(session.enter("/answer", at: .noon)).map(\.command) == [.answer(one)])
    #expect(requests(session.enter("/decline", at: .noon)).map(\.command) == [.decline(one)])
    let change = LocalTime.noon.later(by: .seconds(3))
    _ = session.entries(for: call(.ended(.missed), .bob, one), at: change)
    _ = session.entries(for: call(.ringing, .alice, other), at: change)
    let early = session.enter("/answer", at: change.later(by: .milliseconds(499)))
    #expect(requests(early).isEmpty)
    #expect(rows(early).first?.contains("Alice") == true)
    let late = session.enter("/answer", at: change.later(by: .milliseconds(500)))
    #expect(requests(late).map(\.command) == [.answer(other)])
  }

  @Test("calling and verifying without a name mean the open conversation")
  func partner() {
    var session = self.session
    #expect(rows(session.enter("/call", at: .noon)).first?.contains("/call [PERSON]") == true)
    _ = session.enter("/to Bob Jones", at: .noon)
    #expect(
      requests(session.enter("/call", at: .noon)).map(\.command) == [.call(.fingerprint(.bob))])
    #expect(
      requests(session.enter("/verify same", at: .noon)).map(\.command)
        == [.verify(.fingerprint(.bob), same: true)])
    #expect(requests(session.enter("/block", at: .noon)).isEmpty)
  }

  @Test(
    "what cannot be done says why and what to do",
    arguments: [
      ("/foo", "there is no command /foo"), ("/wo", "did you mean /who?"),
      ("/", "there is no command /; /help"), ("/who me", "/who takes nothing after it"),
      ("/to", "/to PERSON"), ("/to Zoe", "nobody called Zoe is known"),
      ("/to ABCD-EFGH", "nobody's number"), ("/accept", "/accept NUMBER [FINGERPRINT]"),
      ("/accept Alice", "is no number"),
      ("/accept M492-6D25 7112233445566778", "belongs to E492-6D25"),
      ("/mute", "there is no call"), ("/help foo", "there is no command /foo"),
      ("/help vrify", "did you mean /help verify?"),
      ("/\u{1B}[2J", "there is no command /\u{FFFD}"),
    ])
  func refused(line: String, words: String) {
    var session = self.session
    let reactions = session.enter(line, at: .noon)
    #expect(requests(reactions).isEmpty)
    #expect(rows(reactions).count == 1)
    #expect(rows(reactions).first?.contains(words) == true, "\(rows(reactions))")
  }

  @Test("the help names every command, and explains one")
  func help() {
    var session = self.session
    let overview = rows(session.enter("/help", at: .noon)).joined(separator: "\n")
    for command in SlashCommand.allCases { #expect(overview.contains("/\(command.rawValue) ")) }
    #expect(rows(session.enter("/help /verify", at: .noon)).count == 2)
  }

  @Test("muting is for a call, is shown in the prompt and ends with the call")
  func mute() {
    var session = self.session
    func call(_ state: CallStatus.State) {
      let status = CallStatus(state: state, peer: .alice, nonce: .sample, road: .mesh)
      _ = session.entries(for: .call(status), at: .noon)
    }
    call(.connected)
    #expect(session.prompt.plain == "(in a call) > ")
    #expect(requests(session.enter("/mute", at: .noon)).map(\.command) == [.mute(true)])
    #expect(session.prompt.plain == "(in a call, muted) > ")
    #expect(requests(session.enter("/mute off", at: .noon)).map(\.command) == [.mute(false)])
    #expect(requests(session.enter("/mute on", at: .noon)).map(\.command) == [.mute(true)])
    call(.ended(.hungUp))
    #expect(session.prompt.plain == "> ")
    call(.connected)
    #expect(session.prompt.plain == "(in a call) > ")
  }

  @Test("the prompt shows how a call goes: its road, what is held back, lost and cancelled")
  func figures() {
    var session = self.session
    func show(_ event: ChatEvent) { _ = session.entries(for: event, at: .noon) }
    func quality(_ loss: Int, _ echo: Int) -> ChatEvent {
      .quality(
        CallQuality(
          peer: .alice, road: .direct, lossPercent: loss, jitterMilliseconds: 3,
          bufferMilliseconds: 60, echoRemovedDB: echo, cpuPercent: 4))
    }
    show(.call(CallStatus(state: .connected, peer: .alice, nonce: .sample, road: .direct)))
    show(quality(0, 0))
    #expect(session.prompt.plain == "(in a call, direct, 60 ms) > ")
    show(quality(4, 30))
    #expect(session.prompt.plain == "(in a call, direct, 60 ms, 4 % lost, echo −30 dB) > ")
    show(.call(CallStatus(state: .connected, peer: .alice, nonce: .sample, road: .mesh)))
    #expect(session.prompt.plain == "(in a call, mesh, 60 ms, 4 % lost, echo −30 dB) > ")
  }

  @Test("opening a conversation says what is to be known of the person")
  func opened() {
    var session = self.session
    let absent = Peer.sample(
      .mallory, "\u{410}lice", direct: false, heard: false, blocked: true)
    _ = session.entries(for: .peers([absent], ref: "known"), at: .noon)
    #expect(
      rows(session.enter("/to J492-6D25", at: .noon)) == [
        "14:34 * what you type now goes to \u{410}lice [J492-6D25], unverified, and is blocked, "
          + "not heard in this run (the name looks like Alice [E492-6D25])"
      ])
    #expect(
      rows(session.enter("/to 7M2K-Q9XD", at: .noon)) == [
        "14:34 * what you type now goes to [7M2K-Q9XD], of whom nothing has been heard yet"
      ])
  }
}
