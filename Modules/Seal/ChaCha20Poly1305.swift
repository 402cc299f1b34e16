internal import CSodium
internal import Identity

/// The AEAD ChaCha20-Poly1305 with a nonce of 12 bytes (RFC 8439), by libsodium.
package enum ChaCha20Poly1305 {
  package static let keyLength = 32
  package static let nonceLength = 12
  package static let tagLength = 16

  /// Seals all but the last 16 bytes of `memory` where they lie, and writes the tag to those.
  package static func seal(
    inPlace memory: UnsafeMutableRawBufferPointer, key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer, associatedData: UnsafeRawBufferPointer
  ) {
    Sodium.start()
    precondition(memory.count >= tagLength, "no room for the tag")
    precondition(key.count == keyLength && nonce.count == nonceLength, "key 32, nonce 12 bytes")
    _ = crypto_aead_chacha20poly1305_ietf_encrypt(
      memory.sodium, nil, memory.sodium, UInt64(memory.count - tagLength), associatedData.sodium,
      UInt64(associatedData.count), nil, nonce.sodium, key.sodium)
  }

  /// Opens `ciphertext`, its tag at the end, into the 16 bytes fewer of `plaintext`.
  ///
  /// False when the tag does not hold or a length is wrong; then nothing of use is written.
  package static func open(
    _ ciphertext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer, associatedData: UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) -> Bool {
    Sodium.start()
    guard key.count == keyLength, nonce.count == nonceLength,
      ciphertext.count == plaintext.count + tagLength
    else { return false }
    return crypto_aead_chacha20poly1305_ietf_decrypt(
      plaintext.sodium, nil, nil, ciphertext.sodium, UInt64(ciphertext.count),
      associatedData.sodium, UInt64(associatedData.count), nonce.sodium, key.sodium) == 0
  }
}
