internal import Identity
package import Wire

/// DHKEM(X25519, HKDF-SHA256): a shared secret for whoever holds a key (RFC 9180, section 4.1).
package enum DHKEM {
  /// A secret key, a public key, the shared secret and what DeriveKeyPair wants are 32 bytes each.
  package static let length = X25519.length

  /// DeriveKeyPair (section 7.1.3): the secret key that keying material of 32 bytes or more makes.
  package static func deriveSecretKey(
    from material: UnsafeRawBufferPointer, into secretKey: UnsafeMutableRawBufferPointer
  ) {
    precondition(material.count >= length, "keying material of too few bytes")
    withWipedMemory(byteCount: HKDF.keyLength) { key in
      HPKE.labeledExtract(.kem, salt: .none, label: "dkp_prk", into: key) { $0.put(material) }
      HPKE.labeledExpand(.kem, UnsafeRawBufferPointer(key), label: "sk", into: secretKey) { _ in }
    }
  }

  /// Encap, with an ephemeral secret key that was made outside and is used this once.
  ///
  /// Writes the encapsulated key and the shared secret, 32 bytes each.
  package static func encapsulate(
    to recipient: AgreementPublicKey, ephemeral secretKey: UnsafeRawBufferPointer,
    encapsulated: UnsafeMutableRawBufferPointer, sharedSecret: UnsafeMutableRawBufferPointer
  ) throws(X25519.ZeroResult) {
    X25519.publicKey(of: secretKey, into: encapsulated)
    try withUnsafeBytes(of: recipient) { recipient throws(X25519.ZeroResult) in
      try agree(
        secretKey, with: recipient, encapsulated: UnsafeRawBufferPointer(encapsulated),
        recipient: recipient, sharedSecret: sharedSecret)
    }
  }

  /// Decap: the shared secret that the encapsulated key gives the recipient.
  package static func decapsulate(
    _ encapsulated: UnsafeRawBufferPointer, recipient: AgreementPublicKey,
    secretKey: UnsafeRawBufferPointer, sharedSecret: UnsafeMutableRawBufferPointer
  ) throws(X25519.ZeroResult) {
    try withUnsafeBytes(of: recipient) { recipient throws(X25519.ZeroResult) in
      try agree(
        secretKey, with: encapsulated, encapsulated: encapsulated, recipient: recipient,
        sharedSecret: sharedSecret)
    }
  }

  /// The Diffie-Hellman exchange, then ExtractAndExpand over both public keys.
  private static func agree(
    _ secretKey: UnsafeRawBufferPointer, with publicKey: UnsafeRawBufferPointer,
    encapsulated: UnsafeRawBufferPointer, recipient: UnsafeRawBufferPointer,
    sharedSecret: UnsafeMutableRawBufferPointer
  ) throws(X25519.ZeroResult) {
    try withWipedMemory(byteCount: 2 * length) { memory throws(X25519.ZeroResult) in
      let exchanged = memory.part(at: 0, count: length)
      let key = memory.part(at: length, count: HKDF.keyLength)
      try X25519.exchange(secretKey, with: publicKey, into: exchanged)
      HPKE.labeledExtract(.kem, salt: .none, label: "eae_prk", into: key) { $0.put(exchanged) }
      HPKE.labeledExpand(
        .kem, UnsafeRawBufferPointer(key), label: "shared_secret", into: sharedSecret
      ) { hmac in
        hmac.put(encapsulated)
        hmac.put(recipient)
      }
    }
  }
}
