import Chat
import Testing
import Wire

@Suite("Commands as JSON")
struct ChatRequestJSONTests {
  private func parse(_ line: String) -> Result<ChatRequest, RefusedLine> {
    Result { () throws(RefusedLine) in try ChatRequest(json: .text(line)) }
  }

  private func refusal(_ line: String) -> RefusedLine? {
    if case .failure(let refused) = parse(line) { refused } else { nil }
  }

  static let commands: [(String, ChatCommand)] = [
    (
      #"{"cmd":"send","to":"e492-6d25","text":"hé\u0000\u001b"}"#,
      .send(to: .number(Fingerprint.alice.number), text: "hé\u{0}\u{1B}")
    ),
    (
      #"{"cmd":"send","to":"7112233445566778","text":"x"}"#,
      .send(to: .fingerprint(.alice), text: "x")
    ),
    (#"{"cmd":"call","to":"E4926D25"}"#, .call(.number(Fingerprint.alice.number))),
    (#"{"cmd":"answer"}"#, .answer()), (#"{"cmd":"decline"}"#, .decline()),
    (#"{"cmd":"answer","nonce":"7M2KQ9XD"}"#, .answer(CallNonce("7M2KQ9XD".utf8))),
    (#"{"cmd":"decline","nonce":"7M2KQ9XD"}"#, .decline(CallNonce("7M2KQ9XD".utf8))),
    (#"{"cmd":"hangup","nonce":null}"#, .hangUp()),
    (#"{"cmd":"hangup"}"#, .hangUp()), (#"{"cmd":"mute","on":true}"#, .mute(true)),
    (#"{"cmd":"mute","on":false}"#, .mute(false)), (#"{"cmd":"mute"}"#, .mute(true)),
    (#"{"cmd":"accept","number":"E492-6D25"}"#, .accept(Fingerprint.alice.number, nil)),
    (
      #"{"cmd":"accept","number":"E492-6D25","fingerprint":"7112233445566778"}"#,
      .accept(Fingerprint.alice.number, .alice)
    ),
    (
      #"{"cmd":"verify","number":"E492-6D25","same":true}"#,
      .verify(.number(Fingerprint.alice.number), same: true)
    ),
    (
      #"{"cmd":"verify","number":"7112233445566778"}"#, .verify(.fingerprint(.alice), same: false)
    ),
    (
      #"{"cmd":"block","number":"E492-6D25","on":true}"#,
      .block(.number(Fingerprint.alice.number), true)
    ),
    (
      #"{"cmd":"block","number":"E492-6D25","on":false}"#,
      .block(.number(Fingerprint.alice.number), false)
    ),
    (#"{"cmd":"peers"}"#, .peers), (#"{"cmd":"links"}"#, .links), (#"{"cmd":"stats"}"#, .stats),
    (#"{"cmd":"announce"}"#, .announce), (#"{"cmd":"quit"}"#, .quit),
  ]

  @Test("each command is read", arguments: commands)
  func command(line: String, expected: ChatCommand) {
    #expect(parse(line) == .success(ChatRequest(expected)))
  }

  @Test("a ref is kept, and fields that are not known are passed over")
  func ref() {
    #expect(
      parse(#"{"future":[1,{"a":null}],"ref":"r 1","cmd":"peers"}"#)
        == .success(ChatRequest(.peers, ref: "r 1")))
    #expect(parse(#"{"ref":null,"cmd":"peers"}"#) == .success(ChatRequest(.peers)))
  }

  @Test("a ref over 256 bytes, or no text, is refused")
  func badRef() {
    let longest = String(repeating: "r", count: 256)
    #expect(
      parse(#"{"cmd":"peers","ref":"\#(longest)"}"#)
        == .success(ChatRequest(.peers, ref: longest)))
    #expect(refusal(#"{"cmd":"peers","ref":"\#(longest)r"}"#)?.error.code == "bad-command")
    #expect(refusal(#"{"cmd":"peers","ref":7}"#)?.error.code == "bad-command")
  }

  @Test(
    "what is no command says so, with its ref",
    arguments: [
      (#"{"ref":"a"}"#, "bad-command"), (#"{"ref":"a","cmd":7}"#, "bad-command"),
      (#"{"ref":"a","cmd":"dance"}"#, "bad-command"),
      (#"{"ref":"a","cmd":"send"}"#, "bad-command"),
      (#"{"ref":"a","cmd":"answer","nonce":"7M2K-Q9XD"}"#, "bad-command"),
      (#"{"ref":"a","cmd":"hangup","nonce":7}"#, "bad-command"),
      (#"{"ref":"a","cmd":"send","to":"E492-6D25"}"#, "bad-command"),
      (#"{"ref":"a","cmd":"send","to":"E492-6D25","text":7}"#, "bad-command"),
      (#"{"ref":"a","cmd":"send","to":"E492-6D25","text":""}"#, "empty"),
      (#"{"ref":"a","cmd":"mute","on":"yes"}"#, "bad-command"),
      (#"{"ref":"a","cmd":"call","to":"Alice"}"#, "bad-number"),
      (#"{"ref":"a","cmd":"call","to":""}"#, "bad-number"),
      (#"{"ref":"a","cmd":"call","to":"ABCD-EFGH"}"#, "bad-number"),
      (#"{"ref":"a","cmd":"call","to":"0000-0000"}"#, "bad-number"),
      (#"{"ref":"a","cmd":"call","to":"1234-5678"}"#, "bad-number"),
      (#"{"ref":"a","cmd":"call","to":"ffffffffffffffff"}"#, "bad-number"),
      (#"{"ref":"a","cmd":"accept","number":"7112233445566778"}"#, "bad-number"),
      (#"{"ref":"a","cmd":"accept","number":"E492-6D25","fingerprint":"71"}"#, "bad-command"),
      (#"{"ref":"a","cmd":"accept","number":"E492-6D25","fingerprint":7}"#, "bad-command"),
      (#"{"ref":"a","cmd":"block","number":"E492-6D2U"}"#, "bad-number"),
    ])
  func refused(line: String, code: String) {
    #expect(refusal(line)?.error.code == code)
    #expect(refusal(line)?.ref == "a")
  }

  @Test("the longest text passes and one byte more names the limit")
  func tooLong() {
    func line(_ count: Int) -> String {
      let text = String(repeating: "x", count: count)
      return #"{"cmd":"send","ref":"a","to":"E492-6D25","text":"\#(text)"}"#
    }
    #expect(refusal(line(8_045)) == nil)
    #expect(refusal(line(8_046))?.error == .tooLong(bytes: 8_046, limit: 8_045))
    #expect(refusal(line(8_046))?.error.message.contains("8045") == true)
  }

  @Test(
    "broken lines are bad commands",
    arguments: [
      "", " ", "[]", "7", "null", "\"text\"", "{", "{}x", "{\"a\":}", "{\"cmd\":\"quit\"}{}",
      "{\"cmd\":\"quit\",\"cmd\":\"peers\"}", "{\"a\u{0}\":1}", "\u{0}",
      String(repeating: "[", count: 60_000), "{\"cmd\":\"\\ud800\"}",
    ])
  func broken(line: String) {
    #expect(refusal(line)?.error.code == "bad-command")
    #expect(refusal(line)?.ref == nil)
  }

  @Test(
    "an over-long line and one that is not UTF-8 are bad commands",
    arguments: [LineSplitter.Line.tooLong, .notUTF8])
  func unreadable(line: LineSplitter.Line) {
    #expect(throws: RefusedLine.self) { try ChatRequest(json: line) }
  }

  @Test("a refusal's line is harmless", arguments: Hostile.texts)
  func harmless(text: String) {
    let line = ChatEvent.error(.badNumber(text), ref: nil).jsonLine.dropLast()
    #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }
}
