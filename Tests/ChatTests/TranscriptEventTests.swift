import Testing
import Wire

@testable import Chat

@Suite("Transcript: people, links, calls, warnings")
struct TranscriptEventTests {
  @Test("the node says who we are and where it listens")
  func ready() {
    var transcript = Transcript()
    func rows(port: UInt16, temporary: Bool) -> [String] {
      transcript.rows(
        .ready(Ready(fingerprint: .me, name: "Me", port: port, temporary: temporary)))
    }
    #expect(
      rows(port: 41_234, temporary: false)
        == ["14:34 * you are Me [24H3-6H2N]; listening on port 41234; /help lists the commands"])
    #expect(rows(port: 0, temporary: true).first?.contains("for this run only") == true)
  }

  @Test("a person who is heard is introduced once, and told about when something changes")
  func introduction() {
    var transcript = Transcript()
    #expect(
      transcript.rows(.peer(.sample(.alice, "Alice"))) == ["14:34 * Alice [E492-6D25] is near"])
    #expect(transcript.rows(.peer(.sample(.alice, "Alice"))) == [])
    #expect(
      transcript.rows(.peer(.sample(.alice, "Alice", direct: false)))
        == ["14:34 * Alice [E492-6D25] is no longer near"])
    #expect(
      transcript.rows(.peer(.sample(.alice, "Eve", direct: false)))
        == ["14:34 * Eve [E492-6D25] was called Alice before"])
    #expect(
      transcript.rows(.peer(.sample(.alice, "Eve", direct: false, verified: true))) == [
        "14:34 * Eve [E492-6D25] is verified: this is the person whose safety number you compared"
      ])
    #expect(
      transcript.rows(.peer(.sample(.bob, "Bob", direct: false)))
        == ["14:34 * Bob [M492-6D25] is in reach, over others' devices"])
  }

  @Test("somebody known from disk is introduced when heard, not before")
  func fromDisk() {
    var transcript = Transcript()
    #expect(transcript.rows(.peer(.sample(.alice, "Alice", heard: false))) == [])
    #expect(
      transcript.rows(.peer(.sample(.alice, "Alice"))) == ["14:34 * Alice [E492-6D25] is near"])
  }

  @Test("a blocked person shows no more, and says so once")
  func blocked() {
    var transcript = Transcript()
    #expect(transcript.rows(.peer(.sample(.bob, "Bob", blocked: true))) == [])
    _ = transcript.rows(.peer(.sample(.alice, "Alice")))
    #expect(
      transcript.rows(.peer(.sample(.alice, "Alice", blocked: true)))
        == ["14:34 * Alice [E492-6D25] is blocked: messages and calls show no more"])
    #expect(transcript.rows(.peer(.sample(.alice, "New", blocked: true))) == [])
    #expect(
      transcript.rows(.peer(.sample(.alice, "New"))).first
        == "14:34 * New [E492-6D25] is no longer blocked")
  }

  @Test("two people of one name are told apart at once")
  func sameName() {
    var transcript = Transcript()
    _ = transcript.rows(.peer(.sample(.alice, "Sam")))
    #expect(
      transcript.rows(.peer(.sample(.bob, "Sam"))) == [
        "14:34 * Sam [M492-6D25] is near",
        "14:34 ! Sam [M492-6D25]: not the one of this name with [E492-6D25]; look at the number",
      ])
  }

  @Test("keys that were accepted are said to be")
  func accepted() {
    var transcript = Transcript()
    _ = transcript.rows(.peer(.sample(.aliceAgain, "Alice", contradicts: true)))
    #expect(
      transcript.rows(.peer(.sample(.aliceAgain, "Alice")))
        == ["14:34 * Alice [E492-6D25] is accepted with these keys"])
  }

  @Test("the list of people puts the near first and says how each one stands")
  func who() {
    var transcript = Transcript()
    let rows = transcript.rows(
      .peers(
        [
          .sample(.bob, "Bob", direct: false, heard: false),
          .sample(.mallory, "\u{410}lice", direct: false),
          .sample(.alice, "Alice", verified: true),
        ], ref: nil))
    #expect(
      rows == [
        "14:34 * 3 people",
        "      | ✓ Alice [E492-6D25]              verified, near",
        "      | ? \u{410}lice [J492-6D25]              unverified, over others' devices (the name "
          + "looks like Alice [E492-6D25])",
        "      | ? Bob [M492-6D25]                unverified, not heard in this run",
      ])
    #expect(transcript.rows(.peers([], ref: nil)).first?.contains("nobody") == true)
  }

  @Test("links and statistics are lists, and what is full says so")
  func lists() {
    var transcript = Transcript()
    #expect(
      transcript.rows(
        .links([LinkStatus(isUp: true, link: "wifi-3", transport: "wifi", remote: "::1")], ref: nil)
      ) == ["14:34 * 1 link", "      | wifi-3     wifi  up at ::1"])
    #expect(transcript.rows(.links([], ref: nil)) == ["14:34 * no links to other devices"])
    #expect(
      transcript.rows(
        .stats(
          [
            Statistic(name: "outbox", value: 3, limit: 8),
            Statistic(name: "table", value: 8, limit: 8),
            Statistic(name: "drops", value: 1),
          ], ref: nil)) == [
          "14:34 * what is held and counted", "      | outbox  3 of 8",
          "      | table   8 of 8, full", "      | drops   1",
        ])
  }

  @Test("the safety number comes in groups, with what to do")
  func safety() {
    var transcript = Transcript()
    let digits = (1...12).map { "\($0 + 10_000)" }.joined(separator: " ")
    let rows = transcript.rows(
      .safety(SafetyNumber(peer: .alice, digits: digits, isVerified: false), ref: nil))
    #expect(rows.count == 5)
    #expect(rows[1] == "      | 10001 10002 10003 10004")
    #expect(rows[4].contains("/verify E492-6D25 same"))
  }

  @Test(
    "each warning is one clear line",
    arguments: [
      (ChatWarning.clock(ahead: .seconds(3_600)), "1 h ahead of"),
      (.temporaryIdentity(why: "the passphrase is wrong"), "temporary identity"),
      (
        .keysChanged(kept: .alice, seen: .aliceAgain, name: "Alice"),
        "/accept E492-6D25 7112233445ffffff"
      ),
      (.callQuiet(.alice), "[E492-6D25]: nothing has been heard"),
      (.ageLimit(.sample(9)), "six hours"),
    ])
  func warnings(warning: ChatWarning, words: String) {
    var transcript = Transcript()
    let rows = transcript.rows(.warning(warning))
    #expect(rows.count == 1)
    #expect(rows.first?.hasPrefix("14:34 ! ") == true)
    #expect(rows.first?.contains(words) == true)
  }

  @Test("a call is told from its ring to its end, with its length")
  func call() {
    var transcript = Transcript()
    transcript.people.learn(.sample(.alice, "Alice"))
    func rows(_ state: CallStatus.State, road: CallRoad? = nil, at now: LocalTime = .noon)
      -> [String]
    {
      transcript.rows(
        .call(CallStatus(state: state, peer: .alice, nonce: .sample, road: road)), at: now)
    }
    #expect(
      rows(.ringing)
        == ["14:34 ! Alice [E492-6D25] (unverified) is calling: /answer or /decline"])
    #expect(rows(.ringing) == [])
    #expect(
      rows(.connected, road: .mesh) == [
        "14:34 * in a call with Alice [E492-6D25] over the mesh; /hangup ends it, /mute silences "
          + "you"
      ])
    #expect(
      rows(.connected, road: .direct)
        == ["14:34 * the call with Alice [E492-6D25] goes directly now"])
    #expect(
      rows(.ended(.remoteEnded), at: .noon.later(by: .seconds(187))) == [
        "14:38 * call with Alice [E492-6D25] ended after 3:07: the other side hung up"
      ])
    let summary = CallSummary(
      length: .seconds(60), directPercent: 90, lossPercent: 2, worstBufferMilliseconds: 80)
    _ = rows(.connected)
    let ended = ChatEvent.call(
      CallStatus(
        state: .ended(.hungUp), peer: .alice, nonce: .sample, summary: summary))
    #expect(
      transcript.rows(ended, at: .noon.later(by: .seconds(60))) == [
        "14:35 * call with Alice [E492-6D25] ended after 1:00: you hung up; 90 % of it directly, "
          + "2 % of the voice lost, held back 80 ms at most"
      ])
    #expect(rows(.calling) == ["14:34 * calling Alice [E492-6D25]; /hangup gives up"])
    #expect(
      rows(.ended(.noAnswer)) == ["14:34 * call with Alice [E492-6D25] ended: nobody answered"])
  }

  @Test("a bad line is told, at most every half minute")
  func quality() {
    var transcript = Transcript()
    func rows(loss: Int, after seconds: Int) -> [String] {
      transcript.rows(
        .quality(
          CallQuality(
            peer: .alice, road: .mesh, lossPercent: loss, jitterMilliseconds: 0,
            bufferMilliseconds: 0, echoRemovedDB: 0, cpuPercent: 0)),
        at: .noon.later(by: .seconds(seconds)))
    }
    #expect(rows(loss: 9, after: 0) == [])
    #expect(rows(loss: 10, after: 2).count == 1)
    #expect(rows(loss: 50, after: 31) == [])
    #expect(rows(loss: 50, after: 32).count == 1)
  }

  @Test("what is said about a link is harmless", arguments: Hostile.texts)
  func hostileLink(text: String) {
    var transcript = Transcript()
    let rows = transcript.rows(
      .link(LinkStatus(isUp: true, link: text, transport: text, remote: text)))
    #expect(rows.count == 1)
    #expect(rows.joined().unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }

  @Test("colours say nothing that the words do not")
  func colors() {
    var transcript = Transcript()
    let entries = transcript.entries(for: .peer(.sample(.alice, "Alice")), at: .noon)
    let row = entries.first?.rows(columns: 80).first ?? StyledText()
    #expect(row.rendered(colors: false) == row.plain)
    #expect(row.rendered(colors: true).contains("\u{1B}["))
    #expect(
      row.rendered(colors: true).replacing(#/\u{1B}\[\d+m/#, with: "") == row.plain)
  }
}
