import Identity
import Seal
import Testing
import Wire

private struct SealedMessageCase: Decodable {
  var name: String
  var sender, recipient, packetID, messageID, body, randomness, payload: Hex
  var time: UInt64
  var contentType: UInt8
}

@Suite struct MessageSealTests {
  private let alice: Identity
  private let bob: Identity

  init() throws {
    alice = try .sample(1)
    bob = try .sample(2)
  }

  @Test("payloads are those of an independent implementation, byte for byte")
  func knownPayloads() throws {
    let cases = try VectorFile.selected("airlink", "sealed-messages.json")
      .decode([SealedMessageCase].self)
    #expect(cases.count == 10)
    for vector in cases {
      let sender = try Identity.made(from: vector.sender.bytes)
      let recipient = try Identity.made(from: vector.recipient.bytes)
      let id = try #require(PacketID(vector.packetID.bytes))
      let messageID = try #require(MessageID(vector.messageID.bytes))
      let time = Timestamp(milliseconds: vector.time)
      let opened = try opening(vector.payload.bytes, id: id, time: time, by: recipient).get()
      #expect(opened.envelope.sender == sender.publicKeys, "\(vector.name)")
      #expect(opened.fingerprint == sender.fingerprint, "\(vector.name)")
      #expect(opened.envelope.messageID == messageID, "\(vector.name)")
      #expect(opened.envelope.content.type == vector.contentType, "\(vector.name)")
      #expect(opened.envelope.content.body == vector.body.bytes, "\(vector.name)")
      let sealed = try sealing(
        opened.envelope.content, from: sender, to: recipient.publicKeys, id: id,
        messageID: messageID, time: time, randomness: vector.randomness.bytes)
      #expect(sealed == vector.payload.bytes, "\(vector.name)")
    }
  }

  static let invite = CallNonce(random: 0x1234_5678_9ABC)
  static let contents: [MessageContent] = [
    .text("x"), .text("Grüße 👋🏽"), .text(String(repeating: "é", count: 3_000)),
    .receipt(MessageID(PacketID.sample(200))), .callSignal(.invite(invite, AgreementPublicKey())),
    .callSignal(.answer(invite, AgreementPublicKey())), .callSignal(.decline(invite)),
    .callSignal(.end(invite)), .callSignal(.deaf(invite)),
  ]

  @Test("every content comes out as it went in", arguments: contents)
  func roundTrip(content: MessageContent) throws {
    let payload = try sealing(content, from: alice, to: bob.publicKeys)
    let opened = try opening(payload, by: bob).get()
    #expect(opened.envelope.content == content)
    #expect(opened.envelope.sender == alice.publicKeys)
    #expect(opened.envelope.messageID == MessageID(PacketID.sample(7)))
    #expect(opened.fingerprint == alice.fingerprint)
  }

  @Test(
    "a text is padded to the smallest bucket that holds it",
    arguments: [
      (1, 256), (109, 256), (110, 512), (365, 512), (366, 1_024), (877, 1_024), (878, 2_048),
      (1_901, 2_048), (1_902, 4_096), (3_949, 4_096), (3_950, 8_192), (8_045, 8_192),
    ])
  func buckets(length: Int, bucket: Int) throws {
    let content = MessageContent.text(String(repeating: "a", count: length))
    let payload = try sealing(content, from: alice, to: bob.publicKeys)
    #expect(payload.count == bucket + 48)
    #expect(try opening(payload, by: bob).get().envelope.content == content)
  }

  @Test("a text of no bytes or of more than fit is refused before anything is sealed")
  func textLengths() throws {
    #expect(throws: SealError.textEmpty) {
      try sealing(.text(""), from: alice, to: bob.publicKeys)
    }
    for length in [8_046, 8_192, 65_535, 65_536, 1_000_000] {
      #expect(throws: SealError.textTooLong(length)) {
        try sealing(
          .text(String(repeating: "a", count: length)), from: alice, to: bob.publicKeys)
      }
    }
  }

  @Test("a recipient's key of small order is refused", arguments: smallOrderPoints)
  func badRecipientKey(key: AgreementPublicKey) throws {
    let keys = PublicKeys(signing: bob.publicKeys.signing, agreement: key)
    #expect(throws: SealError.badRecipientKey) { try sealing(.text("x"), from: alice, to: keys) }
  }

  @Test("a message sent again keeps its message id under a fresh packet id")
  func sentAgain() throws {
    let again = try sealing(
      .text("x"), from: alice, to: bob.publicKeys, id: .sample(8),
      randomness: [UInt8](repeating: 4, count: 32))
    let opened = try opening(again, id: .sample(8), by: bob).get()
    #expect(opened.envelope.messageID == MessageID(PacketID.sample(7)))
  }

  @Test("other randomness makes every part of the payload another")
  func randomness() throws {
    let one = try sealing(.text("x"), from: alice, to: bob.publicKeys)
    let other = try sealing(
      .text("x"), from: alice, to: bob.publicKeys, randomness: [UInt8](repeating: 4, count: 32))
    #expect(one.count == other.count)
    // By chance about one byte in 256 is the same.
    #expect(zip(one, other).count { $0 == $1 } < 16)
  }

  @Test("anybody's messages to anybody come out, at any time", arguments: propertySeeds)
  func anything(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let sender = try Identity.made(from: random.bytes(64))
    let recipient = try Identity.made(from: random.bytes(64))
    for _ in 0..<10 {
      let id = try #require(PacketID(random.bytes(16)))
      let messageID = try #require(MessageID(random.bytes(16)))
      let time = Timestamp(
        milliseconds: [0, .max, random.next()].randomElement(using: &random) ?? 0)
      let length = Int.random(in: 1...8_045, using: &random)
      let letters = (0..<length).map { _ in UInt8.random(in: 0...127, using: &random) }
      let content = MessageContent.text(String(decoding: letters, as: UTF8.self))
      let payload = try sealing(
        content, from: sender, to: recipient.publicKeys, id: id, messageID: messageID, time: time,
        randomness: random.bytes(32))
      let envelope = try opening(payload, id: id, time: time, by: recipient).get().envelope
      #expect(envelope.content == content, "seed \(seed)")
      #expect(envelope.messageID == messageID, "seed \(seed)")
    }
  }
}

/// Points whose exchange comes to zeros, in several spellings (Wycheproof's `ZeroSharedSecret`).
let smallOrderPoints: [AgreementPublicKey] = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
].compactMap { AgreementPublicKey(hex: $0) }
