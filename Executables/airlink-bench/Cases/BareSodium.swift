internal import CSodium
internal import Seal
internal import Wire

/// Memory that stays where it is while libsodium is called on it again and again.
final class Block {
  let bytes: UnsafeMutablePointer<UInt8>
  let count: Int

  init(_ content: [UInt8]) {
    count = content.count
    bytes = .allocate(capacity: max(count, 1))
    bytes.initialize(from: content, count: count)
  }

  convenience init(count: Int) { self.init([UInt8](repeating: 0, count: count)) }

  deinit { bytes.deallocate() }

  var content: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }
}

/// One person's keys as libsodium takes them.
struct BarePerson {
  let signingSecret = Block(count: 64)
  let signingKey = Block(count: 32)
  let agreementSecret: Block
  let agreementKey = Block(count: 32)

  /// Of 64 bytes, as `Identity` takes them.
  init(seed: [UInt8]) {
    agreementSecret = Block(Array(seed[32...]))
    crypto_sign_seed_keypair(signingKey.bytes, signingSecret.bytes, seed)
    crypto_scalarmult_base(agreementKey.bytes, agreementSecret.bytes)
  }
}

/// The five HMACs between the exchange and the AEAD of HPKE, and nothing else.
///
/// Every message is laid out beforehand; what a call makes is written to where the next one reads.
struct BareKeySchedule {
  private let state = UnsafeMutablePointer<crypto_auth_hmacsha256_state>.allocate(capacity: 1)
  private let exchangeMessage: Block
  private let sharedMessage: Block
  private let secretMessage: Block
  private let keyMessage: Block
  private let nonceMessage: Block
  private let prk = Block(count: 32)
  private let shared = Block(count: 32)
  private let secret = Block(count: 32)
  let key = Block(count: 32)
  /// The first 12 bytes count.
  let nonce = Block(count: 32)

  init(recipient: BarePerson) {
    let kem = Array("HPKE-v1KEM".utf8) + [0, 0x20]
    let hpke = Array("HPKE-v1HPKE".utf8) + [0, 0x20, 0, 1, 0, 3]
    let context = HPKE.KeyScheduleContext(info: Array("airlink-seal-v1".utf8)).bytes
    let empty = [UInt8](repeating: 0, count: 32)
    exchangeMessage = Block(kem + Array("eae_prk".utf8) + empty)
    sharedMessage = Block(
      [0, 32] + kem + Array("shared_secret".utf8) + empty + recipient.agreementKey.content + [1])
    secretMessage = Block(hpke + Array("secret".utf8))
    keyMessage = Block([0, 32] + hpke + Array("key".utf8) + context + [1])
    nonceMessage = Block([0, 12] + hpke + Array("base_nonce".utf8) + context + [1])
  }

  func free() { state.deallocate() }

  /// Where the exchange is to be written.
  var exchanged: UnsafeMutablePointer<UInt8> { exchangeMessage.bytes + exchangeMessage.count - 32 }
  /// Where the encapsulated key is to be written.
  var encapsulated: UnsafeMutablePointer<UInt8> { sharedMessage.bytes + sharedMessage.count - 65 }

  /// Makes key and nonce of what was written to `exchanged` and `encapsulated`.
  @inline(__always) func run() {
    authenticate(prk.bytes, 0, exchangeMessage, prk.bytes)
    authenticate(prk.bytes, 32, sharedMessage, shared.bytes)
    authenticate(shared.bytes, 32, secretMessage, secret.bytes)
    authenticate(secret.bytes, 32, keyMessage, key.bytes)
    authenticate(secret.bytes, 32, nonceMessage, nonce.bytes)
  }

  @inline(__always) private func authenticate(
    _ key: UnsafePointer<UInt8>, _ length: Int, _ message: Block,
    _ code: UnsafeMutablePointer<UInt8>
  ) {
    crypto_auth_hmacsha256_init(state, key, length)
    crypto_auth_hmacsha256_update(state, message.bytes, UInt64(message.count))
    crypto_auth_hmacsha256_final(state, code)
  }
}
