import Testing
import Wire

@Suite struct EnvelopeTests {
  private static func envelope(_ content: MessageContent) -> Envelope {
    var random = SplitMix64(seed: 7)
    return Envelope(
      sender: PublicKeys(signing: random.value(), agreement: random.value()),
      signature: random.value(), messageID: random.value(), content: content)
  }

  private static func read(_ bytes: [UInt8]) -> Result<Envelope, Envelope.DecodeError> {
    outcome { () throws(Envelope.DecodeError) in try Envelope(padded: bytes.span.bytes) }
  }

  static let nonce = CallNonce(random: 77)
  static let contents: [MessageContent] = [
    .text("x"), .text("Grüße"), .text(String(repeating: "é", count: 4_022)),
    .receipt(MessageID()), .callSignal(.invite(nonce, AgreementPublicKey())),
    .callSignal(.deaf(nonce)),
  ]

  @Test("every content goes there and back", arguments: contents)
  func roundTrip(content: MessageContent) throws {
    let envelope = Self.envelope(content)
    let padded = try #require(envelope.padded)
    #expect(SealedPayload.buckets.contains(padded.count))
    #expect(Self.read(padded) == .success(envelope))
    #expect(content.bodyLength == content.body.count)
  }

  @Test("every field stands where the protocol puts it")
  func layout() throws {
    let envelope = Self.envelope(.text("hello"))
    let padded = try #require(envelope.padded)
    var expected = envelope.sender.bytes + envelope.signature.bytes + envelope.messageID.bytes
    expected += [1, 0, 5] + Array("hello".utf8)
    expected += [UInt8](repeating: 0, count: 256 - 152)
    #expect(padded == expected)
  }

  @Test("a body over 8,045 bytes has no bucket")
  func tooLong() {
    #expect(Self.envelope(.text(String(repeating: "a", count: 8_045))).padded?.count == 8_192)
    #expect(Self.envelope(.text(String(repeating: "a", count: 8_046))).padded == nil)
  }

  @Test("the smallest bucket that holds the bytes is taken")
  func buckets() {
    #expect(SealedPayload.bucket(holding: 0) == 256)
    for (bucket, next) in zip([256, 512, 1_024, 2_048, 4_096], [512, 1_024, 2_048, 4_096, 8_192]) {
      #expect(SealedPayload.bucket(holding: bucket) == bucket)
      #expect(SealedPayload.bucket(holding: bucket + 1) == next)
    }
    #expect(SealedPayload.bucket(holding: 8_192) == 8_192)
    #expect(SealedPayload.bucket(holding: 8_193) == nil)
    #expect(SealedPayload.lengths == [304, 560, 1_072, 2_096, 4_144, 8_240])
    for length in Array(-100...20_000) + [.min, .max] {
      #expect(SealedPayload.isLength(length) == SealedPayload.lengths.contains(length))
    }
  }

  @Test("a length that is no bucket is refused")
  func lengths() throws {
    let padded = try #require(Self.envelope(.text("hello")).padded)
    for length in 0...600 where ![256, 512].contains(length) {
      let bytes = Array((padded + [UInt8](repeating: 0, count: 600)).prefix(length))
      #expect(Self.read(bytes) == .failure(.badLength), "length \(length)")
    }
    #expect(Self.read(padded + [UInt8](repeating: 0, count: 256)) != .failure(.badLength))
  }

  @Test("every byte of the padding must be zero")
  func padding() throws {
    let padded = try #require(Self.envelope(.text("hello")).padded)
    for position in 152..<256 {
      for value in [1, 0x80, 0xFF] as [UInt8] {
        var bytes = padded
        bytes[position] = value
        #expect(Self.read(bytes) == .failure(.paddingNotZero), "byte \(position)")
      }
    }
  }

  @Test("a body that fills the bucket to the last byte has no padding")
  func full() throws {
    let envelope = Self.envelope(.text(String(repeating: "a", count: 109)))
    var padded = try #require(envelope.padded)
    #expect(padded.count == 256)
    #expect(Self.read(padded) == .success(envelope))
    padded[146] = 110
    #expect(Self.read(padded) == .failure(.badLength))
  }

  @Test("a shorter declared body leaves what is over as bad padding")
  func shorterBody() throws {
    var padded = try #require(Self.envelope(.text("hello")).padded)
    padded[146] = 4
    #expect(Self.read(padded) == .failure(.paddingNotZero))
    padded[146] = 6
    // A zero byte is a character: the text is another, which the signature then refuses.
    #expect(try Self.read(padded).get().content == .text("hello\0"))
  }

  @Test("only the content types 1, 2 and 3 are known")
  func types() throws {
    let padded = try #require(Self.envelope(.text("hello")).padded)
    for type in UInt8.min...UInt8.max where type != 1 {
      var bytes = padded
      bytes[144] = type
      let expected: Envelope.DecodeError = [2, 3].contains(type) ? .badBody : .unknownContent
      #expect(Self.read(bytes) == .failure(expected), "type \(type)")
    }
  }

  @Test("the signed bytes are label, message id, time, keys, type and body in their order")
  func signedBytes() {
    let envelope = Self.envelope(.text("hello"))
    var random = SplitMix64(seed: 8)
    let recipient = PublicKeys(signing: random.value(), agreement: random.value())
    let covered = Envelope.signedBytes(
      messageID: envelope.messageID, time: Timestamp(milliseconds: 0x0102_0304_0506_0708),
      senderAgreement: envelope.sender.agreement, recipient: recipient, content: envelope.content)
    var expected = Array("airlink-msg-v1".utf8) + envelope.messageID.bytes + Array(1...8)
    expected += envelope.sender.agreement.bytes + recipient.bytes + [1] + Array("hello".utf8)
    #expect(covered == expected)
  }

  @Test(
    "random plaintexts are refused or read, and what is read is written the same again",
    arguments: propertySeeds)
  func noise(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var bytes = random.bytes(144) + [UInt8.random(in: 0...4, using: &random), 0]
      let length = Int.random(in: 0...109, using: &random)
      bytes.append(UInt8(length))
      bytes += (0..<length).map { _ in UInt8.random(in: 0...0x7F, using: &random) }
      bytes += [UInt8](repeating: 0, count: 256 - bytes.count)
      guard case .success(let envelope) = Self.read(bytes) else { continue }
      #expect(envelope.padded == bytes, "seed \(seed)")
    }
  }
}
