public import Identity
public import Wire

/// A message that opened, and whose signature holds.
public struct OpenedMessage: Hashable, Sendable {
  public let envelope: Envelope
  /// The sender's, as its keys make it.
  public let fingerprint: Fingerprint
}

extension MessageSeal {
  /// Opens a sealed packet's payload: decrypts, reads the envelope, verifies who signed it, for us
  /// and at this time.
  public static func open(
    _ payload: RawSpan, packetID: PacketID, time: Timestamp, by recipient: Identity
  ) throws(OpenError) -> OpenedMessage {
    try open(
      payload, packetID: packetID, time: time, by: recipient, isReserved: { $0.isReserved })
  }

  /// The same with another idea of which numbers are reserved, for tests: keys that make one of the
  /// real ones cost 2^40 hashes.
  package static func open(
    _ payload: RawSpan, packetID: PacketID, time: Timestamp, by recipient: Identity,
    isReserved: (Number) -> Bool
  ) throws(OpenError) -> OpenedMessage {
    guard SealedPayload.isLength(payload.byteCount) else { throw .wrongLength }
    return try withWipedMemory(byteCount: payload.byteCount - SealedPayload.overhead) {
      plaintext throws(OpenError) in
      try payload.withUnsafeBytes { payload throws(OpenError) in
        try decrypt(payload, packetID: packetID, time: time, by: recipient, into: plaintext)
      }
      return try verify(
        plaintext, time: time, recipient: recipient.publicKeys, isReserved: isReserved)
    }
  }

  private static func decrypt(
    _ payload: UnsafeRawBufferPointer, packetID: PacketID, time: Timestamp, by recipient: Identity,
    into plaintext: UnsafeMutableRawBufferPointer
  ) throws(OpenError) {
    let encapsulated = UnsafeRawBufferPointer(
      rebasing: payload[..<SealedPayload.encapsulatedKeyLength])
    let box = UnsafeRawBufferPointer(rebasing: payload[encapsulated.count...])
    try withWipedMemory(byteCount: DHKEM.length) { sharedSecret throws(OpenError) in
      do throws(X25519.ZeroResult) {
        try recipient.withAgreementSecret { secretKey throws(X25519.ZeroResult) in
          try DHKEM.decapsulate(
            encapsulated, recipient: recipient.publicKeys.agreement, secretKey: secretKey,
            sharedSecret: sharedSecret)
        }
      } catch {
        throw .zeroSharedSecret
      }
      let opened = HPKE.withContext(
        sharedSecret: UnsafeRawBufferPointer(sharedSecret), schedule
      ) { context in
        withAssociatedData(packetID, time) {
          context.open(box, associatedData: $0, into: plaintext)
        }
      }
      guard opened else { throw .notAuthentic }
    }
  }

  /// Reads the envelope and verifies its signature, over the very bytes that came: the signed bytes
  /// are put together around the body where it lies, over the header that was read.
  private static func verify(
    _ plaintext: UnsafeMutableRawBufferPointer, time: Timestamp, recipient: PublicKeys,
    isReserved: (Number) -> Bool
  ) throws(OpenError) -> OpenedMessage {
    let envelope: Envelope
    do throws(Envelope.DecodeError) {
      envelope = try Envelope(padded: UnsafeRawBufferPointer(plaintext).bytes)
    } catch {
      throw .badEnvelope(error)
    }
    let fingerprint = envelope.sender.fingerprint
    guard !isReserved(fingerprint.number) else { throw .reservedNumber }
    let signed = signedBytes(in: plaintext, bodyLength: envelope.content.bodyLength)
    Envelope.writeSignedPrefix(
      into: signed.part(at: 0, count: Envelope.signedPrefixLength), messageID: envelope.messageID,
      time: time, senderAgreement: envelope.sender.agreement, recipient: recipient,
      contentType: envelope.content.type)
    guard
      envelope.signature.isValid(
        for: UnsafeRawBufferPointer(signed), by: envelope.sender.signing)
    else { throw .badSignature }
    return OpenedMessage(envelope: envelope, fingerprint: fingerprint)
  }
}
