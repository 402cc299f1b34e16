internal import CSodium

/// XChaCha20-Poly1305 (libsodium's IETF form) for what lies on the disk.
enum SecretBox {
  static let keyLength = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
  static let nonceLength = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  static let tagLength = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
  /// What sealing adds: a random nonce in front and the tag behind.
  static let overhead = nonceLength + tagLength

  /// A fresh random nonce, the ciphertext and its tag.
  ///
  /// 192 bits of nonce: random ones do not meet twice.
  static func seal(
    _ plaintext: UnsafeRawBufferPointer, associatedData: [UInt8], key: borrowing SecretBytes
  ) -> [UInt8] {
    precondition(key.count == keyLength)
    var sealed = [UInt8](repeating: 0, count: plaintext.count + overhead)
    sealed.withUnsafeMutableBytes { sealed in
      let nonce = sealed.sodium
      randombytes_buf(nonce, nonceLength)
      key.withUnsafeBytes { key in
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
          nonce + nonceLength, nil, plaintext.sodium, UInt64(plaintext.count),
          associatedData, UInt64(associatedData.count), nil, nonce, key.sodium)
      }
    }
    return sealed
  }

  /// Opens what `seal` made into `plaintext`, which holds exactly what was sealed.
  ///
  /// False, and zeros in `plaintext`, when anything about it is not as it was sealed.
  static func open(
    _ sealed: UnsafeRawBufferPointer, associatedData: [UInt8], key: borrowing SecretBytes,
    into plaintext: UnsafeMutableRawBufferPointer
  ) -> Bool {
    precondition(key.count == keyLength)
    guard sealed.count >= overhead, plaintext.count == sealed.count - overhead else {
      return false
    }
    let opened = key.withUnsafeBytes { key in
      crypto_aead_xchacha20poly1305_ietf_decrypt(
        plaintext.sodium, nil, nil, sealed.sodium + nonceLength,
        UInt64(sealed.count - nonceLength), associatedData, UInt64(associatedData.count),
        sealed.sodium, key.sodium) == 0
    }
    if !opened { sodium_memzero(plaintext.sodium, plaintext.count) }
    return opened
  }
}
