import Identity
import Seal
import Testing
import Wire

/// An envelope written out by hand, so that it can be wrong in any way, and sealed from the parts
/// of HPKE: what a stranger's program could send.
struct RawEnvelope {
  var sender: PublicKeys
  var messageID: MessageID
  var type: UInt8
  var body: [UInt8]
  var bucket = 256
  /// The body length it declares; its own unless set.
  var declaredLength: UInt16?
  var signature = Signature()

  init(
    from sender: Identity, type: UInt8 = 1, body: [UInt8] = Array("hello".utf8),
    messageID: PacketID = .sample(7)
  ) {
    self.sender = sender.publicKeys
    self.messageID = MessageID(messageID)
    self.type = type
    self.body = body
  }

  /// Signs all that the protocol says a signature covers.
  func signed(by signer: Identity, for recipient: PublicKeys, at time: Timestamp) -> RawEnvelope {
    var copy = self
    var covered = Array("airlink-msg-v1".utf8)
    covered += messageID.bytes
    covered.append(bigEndian: time.milliseconds)
    covered += sender.agreement.bytes + recipient.signing.bytes + recipient.agreement.bytes
    covered += [type] + body
    copy.signature = signer.sign(covered)
    return copy
  }

  var plaintext: [UInt8] {
    var bytes = sender.bytes + signature.bytes + messageID.bytes + [type]
    bytes.append(bigEndian: declaredLength ?? UInt16(body.count))
    bytes += body
    return bytes + [UInt8](repeating: 0, count: max(0, bucket - bytes.count))
  }
}

/// Seals any plaintext at all.
func sealRaw(
  _ plaintext: [UInt8], to recipient: PublicKeys, id: PacketID, time: Timestamp,
  ephemeral: UInt8 = 9
) throws -> [UInt8] {
  let schedule = HPKE.KeyScheduleContext(info: Array("airlink-seal-v1".utf8))
  var associatedData = id.bytes
  associatedData.append(bigEndian: time.milliseconds)
  let secretKey = [UInt8](repeating: ephemeral, count: DHKEM.length)
  return try lending(secretKey, associatedData) { parts in
    var sealed: [UInt8] = []
    var shared: [UInt8] = []
    let encapsulated = try output(DHKEM.length) { encapsulated in
      shared = try output(DHKEM.length) { shared in
        try DHKEM.encapsulate(
          to: recipient.agreement, ephemeral: parts[0], encapsulated: encapsulated,
          sharedSecret: shared)
      }
    }
    lending(shared) { shared in
      HPKE.withContext(sharedSecret: shared[0], schedule) { context in
        sealed = output(plaintext.count + ChaCha20Poly1305.tagLength) { memory in
          memory.copyBytes(from: plaintext)
          context.seal(inPlace: memory, associatedData: parts[1])
        }
      }
    }
    return encapsulated + sealed
  }
}

/// What came of opening: the message or why there is none.
func opening(
  _ payload: [UInt8], id: PacketID = .sample(7), time: Timestamp = now, by recipient: Identity
) -> Result<OpenedMessage, OpenError> {
  do throws(OpenError) {
    return .success(
      try MessageSeal.open(payload.span.bytes, packetID: id, time: time, by: recipient))
  } catch {
    return .failure(error)
  }
}

let now = Timestamp(milliseconds: 1_764_489_600_000)

/// Seals as the program does.
func sealing(
  _ content: MessageContent, from sender: Identity, to recipient: PublicKeys,
  id: PacketID = .sample(7), messageID: MessageID = MessageID(PacketID.sample(7)),
  time: Timestamp = now, randomness: [UInt8] = [UInt8](repeating: 3, count: 32)
) throws -> [UInt8] {
  try MessageSeal.seal(
    content, messageID: messageID, from: sender, to: recipient, packetID: id, time: time,
    randomness: randomness.span.bytes)
}
