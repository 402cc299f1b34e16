internal import CSodium
internal import Wire

/// One message sealed and opened by the bare libsodium calls, on memory laid out beforehand.
///
/// The least that the protocol can cost: X25519, HMAC, Ed25519 and the AEAD, each as often as it
/// takes, and no allocation, copy, check or wiping. Its payload is the very one that AirLink makes.
final class BareMessage {
  private let sender: BarePerson
  private let recipient: BarePerson
  private let schedule: BareKeySchedule
  private let ephemeral: Block
  private let associatedData: Block
  private let signed: Block
  private let plaintext: Block
  private let opened: Block
  let payload: Block

  init(
    senderSeed: [UInt8], recipientSeed: [UInt8], text: [UInt8], bucket: Int, id: PacketID,
    time: Timestamp, randomness: [UInt8]
  ) {
    sender = BarePerson(seed: senderSeed)
    recipient = BarePerson(seed: recipientSeed)
    schedule = BareKeySchedule(recipient: recipient)
    ephemeral = Block(randomness)
    var bytes = id.bytes
    bytes.append(bigEndian: time.milliseconds)
    associatedData = Block(bytes)
    bytes = Array("airlink-msg-v1".utf8) + id.bytes
    bytes.append(bigEndian: time.milliseconds)
    bytes += sender.agreementKey.content + recipient.signingKey.content
    bytes += recipient.agreementKey.content + [1] + text
    signed = Block(bytes)
    bytes = sender.signingKey.content + sender.agreementKey.content
    bytes += [UInt8](repeating: 0, count: 64) + id.bytes + [1]
    bytes.append(bigEndian: UInt16(text.count))
    bytes += text
    plaintext = Block(bytes + [UInt8](repeating: 0, count: bucket - bytes.count))
    opened = Block(count: bucket)
    payload = Block(count: bucket + SealedPayload.overhead)
  }

  deinit { schedule.free() }

  func seal(_ count: Int) {
    for _ in 0..<count {
      crypto_sign_detached(
        plaintext.bytes + 64, nil, signed.bytes, UInt64(signed.count), sender.signingSecret.bytes)
      crypto_scalarmult_curve25519_base(payload.bytes, ephemeral.bytes)
      keep(
        crypto_scalarmult_curve25519(
          schedule.exchanged, ephemeral.bytes, recipient.agreementKey.bytes))
      schedule.encapsulated.update(from: payload.bytes, count: 32)
      schedule.run()
      crypto_aead_chacha20poly1305_ietf_encrypt(
        payload.bytes + 32, nil, plaintext.bytes, UInt64(plaintext.count), associatedData.bytes,
        UInt64(associatedData.count), nil, schedule.nonce.bytes, schedule.key.bytes)
    }
  }

  func open(_ count: Int) {
    for _ in 0..<count {
      keep(
        crypto_scalarmult_curve25519(
          schedule.exchanged, recipient.agreementSecret.bytes, payload.bytes))
      schedule.encapsulated.update(from: payload.bytes, count: 32)
      schedule.run()
      let decrypted = crypto_aead_chacha20poly1305_ietf_decrypt(
        opened.bytes, nil, nil, payload.bytes + 32, UInt64(payload.count - 32),
        associatedData.bytes, UInt64(associatedData.count), schedule.nonce.bytes,
        schedule.key.bytes)
      let verified = crypto_sign_verify_detached(
        opened.bytes + 64, signed.bytes, UInt64(signed.count), opened.bytes)
      precondition(decrypted == 0 && verified == 0, "the bare calls do not open their own payload")
    }
  }
}
