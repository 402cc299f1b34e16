/// What the signature of a message covers, and the writing of an envelope in place.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 14 | `airlink-msg-v1` |
/// | 14 | 16 | message id |
/// | 30 | 8 | time, the packet's |
/// | 38 | 32 | sender's agreement key |
/// | 70 | 32 | recipient's signing key |
/// | 102 | 32 | recipient's agreement key |
/// | 134 | 1 | content type |
/// | 135 | n | body |
///
/// These 135 bytes are fewer than the 147 before the body in the envelope. So the signed bytes can
/// stand where the header will, directly before the body, and the body is never copied to be signed.
extension Envelope {
  /// The bytes before the body that the signature covers.
  package static let signedPrefixLength = 135

  public static func signedBytes(
    messageID: MessageID, time: Timestamp, senderAgreement: AgreementPublicKey,
    recipient: PublicKeys, content: MessageContent
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: signedPrefixLength + content.bodyLength)
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe writeSignedPrefix(
        into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<signedPrefixLength]),
        messageID: messageID, time: time, senderAgreement: senderAgreement, recipient: recipient,
        contentType: content.type)
      unsafe content.writeBody(
        into: UnsafeMutableRawBufferPointer(rebasing: bytes[signedPrefixLength...]))
    }
    return bytes
  }

  /// Writes what the signature covers before the body into exactly `signedPrefixLength` bytes.
  package static func writeSignedPrefix(
    into memory: UnsafeMutableRawBufferPointer, messageID: MessageID, time: Timestamp,
    senderAgreement: AgreementPublicKey, recipient: PublicKeys, contentType: UInt8
  ) {
    var writer = unsafe FieldWriter(memory)
    unsafe writer.put("airlink-msg-v1")
    unsafe writer.put(messageID)
    unsafe writer.put(bigEndian: time.milliseconds)
    unsafe writer.put(senderAgreement)
    unsafe writer.put(recipient.signing)
    unsafe writer.put(recipient.agreement)
    unsafe writer.put(bigEndian: contentType)
    precondition(unsafe writer.remaining == 0, "the signed bytes before the body are 135")
  }

  /// Writes what stands before the body into exactly `headerLength` bytes.
  package func writeHeader(into memory: UnsafeMutableRawBufferPointer) {
    var writer = unsafe FieldWriter(memory)
    unsafe writer.put(sender.signing)
    unsafe writer.put(sender.agreement)
    unsafe writer.put(signature)
    unsafe writer.put(messageID)
    unsafe writer.put(bigEndian: content.type)
    unsafe writer.put(bigEndian: UInt16(content.bodyLength))
    precondition(unsafe writer.remaining == 0, "an envelope's header is 147 bytes")
  }
}

extension MessageContent {
  public var body: [UInt8] {
    switch self {
    case .text(let text): Array(text.utf8)
    case .receipt(let id): id.bytes
    case .callSignal(let signal): signal.body
    }
  }

  /// How many bytes the body is.
  public var bodyLength: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .receipt: MessageID.byteCount
    case .callSignal(let signal): signal.body.count
    }
  }

  /// Writes the body into exactly `bodyLength` bytes.
  package func writeBody(into memory: UnsafeMutableRawBufferPointer) {
    var writer = unsafe FieldWriter(memory)
    switch self {
    case .text(var text): text.withUTF8 { unsafe writer.put(UnsafeRawBufferPointer($0)) }
    case .receipt(let id): unsafe writer.put(id)
    case .callSignal(let signal):
      unsafe signal.body.withUnsafeBytes { unsafe writer.put($0) }
    }
    precondition(unsafe writer.remaining == 0, "a body of another length than it said")
  }
}
