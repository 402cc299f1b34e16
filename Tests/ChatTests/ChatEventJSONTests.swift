import Chat
import CommandLine
import Testing
import Wire

@Suite("Events as JSON")
struct ChatEventJSONTests {
  static let golden: [(ChatEvent, String)] = [
    (
      .ready(Ready(fingerprint: .me, name: "Me", port: 41_234, temporary: false)),
      #"{"event":"ready","number":"24H3-6H2N","fingerprint":"1122334455667788","name":"Me","#
        + #""port":41234,"temporary":false}"#
    ),
    (
      .link(LinkStatus(isUp: true, link: "wifi-3", transport: "wifi", remote: "10.0.0.2:1")),
      #"{"event":"link","state":"up","link":"wifi-3","transport":"wifi"}"#
    ),
    (
      .link(
        LinkStatus(
          isUp: false, link: "ble-1", transport: "ble", number: Fingerprint.alice.number)),
      #"{"event":"link","state":"down","link":"ble-1","transport":"ble","number":"E492-6D25"}"#
    ),
    (
      .peer(.sample(.alice, "Alice")),
      #"{"event":"peer","number":"E492-6D25","name":"Alice","direct":true,"new":true,"#
        + #""fingerprint":"7112233445566778","heard":"2025-01-31T12:34:56.789Z"}"#
    ),
    (
      .peer(
        .sample(
          .bob, "", direct: false, heard: false, verified: true, blocked: true, contradicts: true)),
      #"{"event":"peer","number":"M492-6D25","name":"","direct":false,"new":true,"#
        + #""fingerprint":"a112233445566778","verified":true,"blocked":true,"keysChanged":true}"#
    ),
    (
      .message(.sample("hé\n\u{202E}\u{1B}\"\\")),
      #"{"event":"message","id":"07070707070707070707070707070707","from":"E492-6D25","#
        + #""name":"Alice","text":"hé\n\u202E\u001B\"\\","time":"2025-01-31T12:34:56.789Z","#
        + #""fingerprint":"7112233445566778"}"#
    ),
    (
      .state(DeliveryStatus(id: .sample(0xAB), ref: "r1", state: .waiting)),
      #"{"event":"state","id":"abababababababababababababababab","ref":"r1","state":"waiting"}"#
    ),
    (
      .state(DeliveryStatus(id: .sample(1), state: .failed(.tooOld))),
      #"{"event":"state","id":"01010101010101010101010101010101","state":"failed","#
        + #""reason":"too-old"}"#
    ),
    (
      .call(CallStatus(state: .connected, peer: .alice, nonce: .sample, road: .mesh)),
      #"{"event":"call","state":"connected","number":"E492-6D25","nonce":"\#(CallNonce.sample)","#
        + #""road":"mesh"}"#
    ),
    (
      .call(CallStatus(state: .ended(.noAnswer), peer: .alice, nonce: .sample)),
      #"{"event":"call","state":"ended","number":"E492-6D25","nonce":"\#(CallNonce.sample)","#
        + #""reason":"no-answer"}"#
    ),
    (
      .call(
        CallStatus(
          state: .ended(.hungUp), peer: .alice, nonce: .sample,
          summary: CallSummary(
            length: .milliseconds(61_999), directPercent: 90, lossPercent: 2,
            worstBufferMilliseconds: 80))),
      #"{"event":"call","state":"ended","number":"E492-6D25","nonce":"\#(CallNonce.sample)","#
        + #""reason":"hung-up","seconds":61,"directPercent":90,"lossPercent":2,"worstBufferMs":80}"#
    ),
    (
      .warning(.sound(code: "no-device", text: "no \u{1B}[2Jdevice")),
      #"{"event":"warning","code":"sound","message":"no \#u{FFFD}[2Jdevice","sound":"no-device"}"#
    ),
    (
      .quality(
        CallQuality(
          peer: .alice, road: .direct, lossPercent: 1, jitterMilliseconds: 2,
          bufferMilliseconds: 3, echoRemovedDB: 4, cpuPercent: 5)),
      #"{"event":"quality","number":"E492-6D25","road":"direct","lossPercent":1,"jitterMs":2,"#
        + #""bufferMs":3,"echoRemovedDB":4,"cpuPercent":5}"#
    ),
    (.peers([], ref: "p"), #"{"event":"peers","ref":"p","peers":[]}"#),
    (
      .peers([.sample(.alice, "A", heard: false)], ref: nil),
      #"{"event":"peers","peers":[{"number":"E492-6D25","name":"A","direct":true,"new":true,"#
        + #""fingerprint":"7112233445566778"}]}"#
    ),
    (
      .links([LinkStatus(isUp: true, link: "wifi-1", transport: "wifi")], ref: "l"),
      #"{"event":"links","ref":"l","links":[{"state":"up","link":"wifi-1","transport":"wifi"}]}"#
    ),
    (
      .stats(
        [
          Statistic(name: "outbox.messages", value: 3, limit: 256),
          Statistic(name: "dropped", value: 9),
        ], ref: nil),
      #"{"event":"stats","stats":[{"name":"outbox.messages","value":3,"limit":256},"#
        + #"{"name":"dropped","value":9}]}"#
    ),
    (
      .safety(SafetyNumber(peer: .alice, digits: "00001 99999", isVerified: true), ref: "v"),
      #"{"event":"safety","ref":"v","number":"E492-6D25","fingerprint":"7112233445566778","#
        + #""digits":"00001 99999","verified":true}"#
    ),
    (
      .error(.ambiguous(Fingerprint.alice.number, [.alice, .aliceAgain]), ref: "x"),
      #"{"event":"error","code":"ambiguous","message":"several keys claim E492-6D25: give the "#
        + #"fingerprint of the right ones, one of 7112233445566778, 7112233445ffffff","ref":"x","#
        + #""fingerprints":["7112233445566778","7112233445ffffff"]}"#
    ),
    (
      .error(.noCall, ref: nil),
      #"{"event":"error","code":"no-call","message":"there is no call"}"#
    ),
    (
      .warning(.ageLimit(.sample(2))),
      #"{"event":"warning","code":"age-limit","message":"a message is over six hours old: nobody "#
        + #"takes it any more","id":"02020202020202020202020202020202"}"#
    ),
  ]

  @Test("each event is written as the contract says", arguments: golden)
  func line(event: ChatEvent, expected: String) {
    #expect(event.jsonLine == expected + "\n")
  }

  @Test(
    "states and reasons have the contract's words",
    arguments: [
      (DeliveryStatus.State.waiting, "waiting", nil), (.sent, "sent", nil),
      (.delivered, "delivered", nil), (.failed(.patience), "failed", "patience"),
      (.failed(.tooOld), "failed", "too-old"), (.failed(.keysChanged), "failed", "keys-changed"),
      (.failed(.stopped), "failed", "stopped"),
    ] as [(DeliveryStatus.State, String, String?)])
  func states(state: DeliveryStatus.State, word: String, reason: String?) throws {
    let line = ChatEvent.state(DeliveryStatus(id: .sample(1), state: state)).jsonLine
    let object = try #require(try JSONReader.parse(String(line.dropLast())).object)
    #expect(object["state"]?.string == word)
    #expect(object["reason"]?.string == reason)
  }

  @Test(
    "every warning has its code and a sentence",
    arguments: [
      (ChatWarning.clock(ahead: .seconds(1_400)), "clock", "23 min 20 s ahead of"),
      (.clock(ahead: .seconds(-90_000)), "clock", "1 day 1 h behind"),
      (.temporaryIdentity(why: "a wrong passphrase"), "temporary-identity", "a wrong passphrase"),
      (
        .keysChanged(kept: .alice, seen: .aliceAgain, name: "A"), "keys-changed",
        "7112233445ffffff"
      ),
      (.callQuiet(.alice), "call-quiet", "5 s"), (.ageLimit(.sample(1)), "age-limit", "six hours"),
    ])
  func warnings(warning: ChatWarning, code: String, words: String) {
    #expect(warning.code == code)
    #expect(warning.message.contains(words))
    #expect(ChatEvent.warning(warning).jsonLine.contains(#""code":"\#(code)","#))
  }

  @Test(
    "every error has its code and a sentence of one line",
    arguments: [
      (ChatError.badCommand("x"), "bad-command"), (.badNumber("x"), "bad-number"),
      (.reservedNumber(Fingerprint.alice.number), "bad-number"),
      (.ambiguous(Fingerprint.alice.number, [.alice]), "ambiguous"),
      (.blocked(Fingerprint.alice.number), "blocked"),
      (.unknownNumber(Fingerprint.alice.number), "unknown-number"),
      (.keysChanged(Fingerprint.alice.number), "keys-changed"),
      (.tooLong(bytes: 9_000, limit: 8_045), "too-long"), (.empty, "empty"),
      (.outboxFull(messages: 5, limit: 5), "outbox-full"), (.noCall, "no-call"), (.busy, "busy"),
      (.isSelf, "self"),
    ])
  func errors(error: ChatError, code: String) {
    #expect(error.code == code)
    #expect(!error.message.isEmpty && !error.message.contains("\n"))
    #expect(!error.message.hasSuffix("."))
  }

  @Test(
    "hostile names and texts are carried exactly, in a line that harms no terminal",
    arguments: Hostile.texts + [Hostile.fullName])
  func hostile(text: String) throws {
    let line = ChatEvent.message(.sample(text, name: text)).jsonLine
    #expect(line.hasSuffix("\n"))
    let body = String(line.dropLast())
    for scalar in body.unicodeScalars {
      let category = scalar.properties.generalCategory
      #expect(
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(category),
        "U+\(String(scalar.value, radix: 16)) is raw in the line")
    }
    let object = try #require(try JSONReader.parse(body).object)
    #expect(object["text"]?.string.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    #expect(object["name"]?.string.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
  }

  @Test(
    "times of any value are written",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
      (951_782_400_001, "2000-02-29T00:00:00.001Z"),
    ] as [(UInt64, String)])
  func times(milliseconds: UInt64, expected: String) {
    let line = ChatEvent.message(.sample("x", time: Timestamp(milliseconds: milliseconds))).jsonLine
    #expect(line.contains(#""time":"\#(expected)""#))
  }
}
