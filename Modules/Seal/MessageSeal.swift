internal import CSodium
public import Identity
public import Wire

/// Messages under seal: HPKE around a signed envelope (PROTOCOL, section 5).
public enum MessageSeal {
  /// How many bytes of randomness a sealing uses up.
  public static let randomnessLength = 32

  static let schedule = HPKE.KeyScheduleContext(info: Array("airlink-seal-v1".utf8))

  /// The sealed payload for a packet of this id and time.
  ///
  /// `randomness` is 32 fresh bytes from the system's source, used for this sealing alone: they are
  /// the ephemeral X25519 scalar. The caller wipes them.
  public static func seal(
    _ content: MessageContent, messageID: MessageID, from sender: Identity,
    to recipient: PublicKeys, packetID: PacketID, time: Timestamp, randomness: RawSpan
  ) throws(SealError) -> [UInt8] {
    precondition(randomness.byteCount == randomnessLength, "32 bytes of randomness")
    if case .text = content, content.bodyLength == 0 { throw .textEmpty }
    let end = Envelope.headerLength + content.bodyLength
    guard let bucket = SealedPayload.bucket(holding: end) else {
      throw .textTooLong(content.bodyLength)
    }
    var sealed = false
    let payload = [UInt8](unsafeUninitializedCapacity: bucket + SealedPayload.overhead) {
      payload, count in
      let payload = UnsafeMutableRawBufferPointer(payload)
      let plaintext = payload.part(at: SealedPayload.encapsulatedKeyLength, count: bucket)
      writeEnvelope(
        content, messageID: messageID, from: sender, to: recipient, time: time, into: plaintext)
      sealed = randomness.withUnsafeBytes { randomness in
        encrypt(payload, to: recipient, packetID: packetID, time: time, ephemeral: randomness)
      }
      // What was not encrypted does not stay behind.
      if !sealed { sodium_memzero(payload.sodium, payload.count) }
      count = payload.count
    }
    guard sealed else { throw .badRecipientKey }
    return payload
  }

  /// Writes the padded envelope, with the signed bytes in its place first: the body lies where the
  /// signature wants it and where the envelope wants it, and is copied once.
  private static func writeEnvelope(
    _ content: MessageContent, messageID: MessageID, from sender: Identity,
    to recipient: PublicKeys, time: Timestamp, into plaintext: UnsafeMutableRawBufferPointer
  ) {
    let length = content.bodyLength
    let end = Envelope.headerLength + length
    content.writeBody(into: plaintext.part(at: Envelope.headerLength, count: length))
    let padding = plaintext.part(at: end, count: plaintext.count - end)
    padding.initializeMemory(as: UInt8.self, repeating: 0)
    let signed = signedBytes(in: plaintext, bodyLength: length)
    Envelope.writeSignedPrefix(
      into: signed.part(at: 0, count: Envelope.signedPrefixLength), messageID: messageID,
      time: time, senderAgreement: sender.publicKeys.agreement, recipient: recipient,
      contentType: content.type)
    let envelope = Envelope(
      sender: sender.publicKeys, signature: sender.sign(UnsafeRawBufferPointer(signed)),
      messageID: messageID, content: content)
    envelope.writeHeader(into: plaintext.part(at: 0, count: Envelope.headerLength))
  }

  /// Writes the encapsulated key and encrypts what lies behind it; false when the recipient's key
  /// gives no secret.
  private static func encrypt(
    _ payload: UnsafeMutableRawBufferPointer, to recipient: PublicKeys, packetID: PacketID,
    time: Timestamp, ephemeral: UnsafeRawBufferPointer
  ) -> Bool {
    let encapsulated = payload.part(at: 0, count: SealedPayload.encapsulatedKeyLength)
    let box = UnsafeMutableRawBufferPointer(rebasing: payload[encapsulated.count...])
    return withWipedMemory(byteCount: DHKEM.length) { sharedSecret in
      do throws(X25519.ZeroResult) {
        try DHKEM.encapsulate(
          to: recipient.agreement, ephemeral: ephemeral, encapsulated: encapsulated,
          sharedSecret: sharedSecret)
      } catch {
        return false
      }
      HPKE.withContext(sharedSecret: UnsafeRawBufferPointer(sharedSecret), schedule) { context in
        withAssociatedData(packetID, time) { context.seal(inPlace: box, associatedData: $0) }
      }
      return true
    }
  }

  /// The bytes that the signature covers, while they lie in the plaintext: they end with the body.
  static func signedBytes(
    in plaintext: UnsafeMutableRawBufferPointer, bodyLength: Int
  ) -> UnsafeMutableRawBufferPointer {
    plaintext.part(
      at: Envelope.headerLength - Envelope.signedPrefixLength,
      count: Envelope.signedPrefixLength + bodyLength)
  }

  /// The packet's id ‖ its time: a relay cannot give a genuine ciphertext another name or age.
  static func withAssociatedData<Result>(
    _ packetID: PacketID, _ time: Timestamp, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: PacketID.byteCount + 8, alignment: 8) { memory in
      var writer = FieldWriter(memory)
      writer.put(packetID)
      writer.put(bigEndian: time.milliseconds)
      return body(UnsafeRawBufferPointer(memory))
    }
  }
}
