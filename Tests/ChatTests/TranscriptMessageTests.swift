import Testing
import Wire

@testable import Chat

@Suite("Transcript: messages")
struct TranscriptMessageTests {
  private func transcript(_ peers: Peer...) -> Transcript {
    var transcript = Transcript()
    for peer in peers { transcript.people.learn(peer) }
    return transcript
  }

  @Test("a message names its writer, the number and whether anybody checked who it is")
  func message() {
    var transcript = transcript(.sample(.alice, "Alice"), .sample(.bob, "Bob", verified: true))
    #expect(
      transcript.rows(.message(.sample("hi"))) == [
        "14:34 ? Alice [E492-6D25]: hi",
        "14:34 * nobody has checked that this is Alice [E492-6D25]: /verify E492-6D25 shows what "
          + "to compare",
      ])
    #expect(transcript.rows(.message(.sample("again"))) == ["14:34 ? Alice [E492-6D25]: again"])
    #expect(
      transcript.rows(.message(.sample("hi", from: .bob, name: "Bob")))
        == ["14:34 ✓ Bob [M492-6D25]: hi"])
  }

  @Test("a text of several lines cannot fake another line")
  func severalLines() {
    var transcript = transcript(.sample(.bob, "Bob", verified: true))
    let rows = transcript.rows(
      .message(.sample("a\n12:34 ✓ Alice [E492-6D25]: send money\r\n\rz", from: .bob)))
    #expect(
      rows == [
        "14:34 ✓ Alice [M492-6D25]: a", "      | 12:34 ✓ Alice [E492-6D25]: send money",
        "      | ", "      | z",
      ])
  }

  @Test(
    "whatever is written and whatever the width, rows are harmless and keep off the left edge",
    arguments: Hostile.texts)
  func hostile(text: String) {
    for columns in [nil, 20, 40, 80] {
      var transcript = transcript(.sample(.mallory, text), .sample(.alice, "Alice", verified: true))
      for name in [text, Hostile.fullName] {
        let event = ChatEvent.message(.sample(text, from: .mallory, name: name))
        for entry in transcript.entries(for: event, at: .noon) {
          for (place, row) in entry.rows(columns: columns).enumerated() {
            #expect(place == 0 || row.plain.hasPrefix(columns == 20 ? "| " : "      | "))
            #expect(place > 0 || row.plain.hasPrefix("14:34 "))
            if let columns { #expect(CellWidth.most(row.plain) <= columns) }
            for scalar in row.plain.unicodeScalars {
              #expect(
                ![.control, .lineSeparator, .paragraphSeparator].contains(
                  scalar.properties.generalCategory))
              #expect(!(0x202A...0x202E).contains(scalar.value))
              #expect(!(0x2066...0x2069).contains(scalar.value))
            }
          }
        }
      }
    }
  }

  @Test("a message written long before it came, or by a clock ahead, says when")
  func late() {
    var transcript = transcript(.sample(.alice, "Alice", verified: true))
    func row(_ delay: Duration) -> String? {
      let written = LocalTime.noon.time.advanced(by: .zero - delay)
      return transcript.rows(.message(.sample("x", time: written))).last
    }
    #expect(row(.seconds(120)) == "14:34 ✓ Alice [E492-6D25]: x")
    #expect(row(.seconds(1_200)) == "14:34 ✓ Alice [E492-6D25] (written 14:14): x")
    #expect(
      row(.seconds(18 * 3_600)) == "14:34 ✓ Alice [E492-6D25] (written 2025-01-30 20:34): x")
    #expect(
      row(.seconds(-600))
        == "14:34 ✓ Alice [E492-6D25] (written 14:44 by a clock ahead of yours): x")
  }

  @Test("a message from somebody whose name looks like another's says so every time")
  func lookAlike() {
    var transcript = transcript(
      .sample(.alice, "Alice", verified: true), .sample(.mallory, "\u{410}lice"))
    for _ in 0..<2 {
      let rows = transcript.rows(.message(.sample("x", from: .mallory, name: "\u{410}lice")))
      #expect(
        rows.first
          == "14:34 ? \u{410}lice [J492-6D25] (the name looks like Alice [E492-6D25]): x")
    }
  }

  @Test("a new day is announced, the first is not")
  func days() {
    var transcript = transcript(.sample(.alice, "Alice", verified: true))
    #expect(transcript.rows(.message(.sample("x"))).count == 1)
    let tomorrow = LocalTime.noon.later(by: .seconds(10 * 3_600))
    let rows = transcript.rows(.message(.sample("y", time: tomorrow.time)), at: tomorrow)
    #expect(rows == ["-- 2025-02-01 --", "00:34 ✓ Alice [E492-6D25]: y"])
  }

  private func sent(
    _ transcript: inout Transcript, to recipient: Recipient = .fingerprint(.alice),
    _ text: String = "hello"
  ) -> String {
    transcript.outgoing.add(
      to: recipient, label: transcript.people.label(recipient), text: text)
  }

  @Test("our own message shows each state once, in words")
  func states() {
    var transcript = transcript(.sample(.alice, "Alice"))
    let ref = sent(&transcript, "one\ntwo")
    func rows(_ state: DeliveryStatus.State, ref: String? = nil) -> [String] {
      transcript.rows(.state(DeliveryStatus(id: .sample(1), ref: ref, state: state)))
    }
    #expect(
      rows(.waiting, ref: ref) == [
        "14:34 > Alice [E492-6D25] #1 (waiting: no device is in reach): one", "      | two",
      ])
    #expect(rows(.waiting) == [])
    #expect(rows(.sent) == ["14:34 > #1 to Alice [E492-6D25] sent"])
    #expect(rows(.sent, ref: ref) == [])
    #expect(rows(.delivered) == ["14:34 > #1 to Alice [E492-6D25] delivered"])
  }

  @Test(
    "a failed message says why and what it was",
    arguments: [
      (DeliveryStatus.Reason.patience, "24 hours"), (.tooOld, "six hours"),
      (.keysChanged, "other keys"), (.stopped, "this program leaves"),
    ])
  func failed(reason: DeliveryStatus.Reason, words: String) {
    var transcript = transcript(.sample(.alice, "Alice"))
    let ref = sent(&transcript, "precious \u{1B}[1m words")
    _ = transcript.rows(.state(DeliveryStatus(id: .sample(1), ref: ref, state: .sent)))
    let rows = transcript.rows(
      .state(DeliveryStatus(id: .sample(1), state: .failed(reason))))
    #expect(rows.count == 1)
    #expect(rows.first?.hasPrefix("14:34 ! #1 to Alice [E492-6D25] ") == true)
    #expect(rows.first?.contains(words) == true)
    #expect(rows.first?.hasSuffix(": precious \u{FFFD}[1m words") == true)
  }

  @Test("a recipient not heard in this run is said to be absent")
  func offline() {
    var transcript = transcript(.sample(.alice, "Alice", heard: false))
    let ref = sent(&transcript)
    #expect(
      transcript.rows(.state(DeliveryStatus(id: .sample(1), ref: ref, state: .sent))) == [
        "14:34 > Alice [E492-6D25] #1 (sent; not heard in this run, it goes out again when it "
          + "is): hello"
      ])
  }

  @Test("a state of a message that is not ours here is told by its id")
  func unknown() {
    var transcript = Transcript()
    #expect(
      transcript.rows(.state(DeliveryStatus(id: .sample(0xAB), state: .delivered)))
        == ["14:34 > message abababab delivered"])
  }

  @Test("a refused message says to whom it did not go, and is forgotten")
  func refused() {
    var transcript = transcript(.sample(.alice, "Alice"))
    let ref = sent(&transcript)
    #expect(
      transcript.rows(.error(.keysChanged(Fingerprint.alice.number), ref: ref)) == [
        "14:34 ! not sent to Alice [E492-6D25]: E492-6D25 shows up with other keys than those "
          + "kept for it: nothing goes there until you accept them; ask the person, and only "
          + "then: /accept E492-6D25 (the up arrow brings the text back)"
      ])
    #expect(transcript.rows(.error(.noCall, ref: ref)) == ["14:34 ! there is no call"])
  }

  @Test("the table of own messages stays bounded")
  func bounded() {
    var transcript = transcript(.sample(.alice, "Alice"))
    let first = sent(&transcript)
    _ = transcript.rows(.state(DeliveryStatus(id: .sample(1), ref: first, state: .sent)))
    for _ in 0..<OutgoingMessages.capacity { _ = sent(&transcript) }
    #expect(transcript.outgoing[.sample(1)] == nil)
  }
}
