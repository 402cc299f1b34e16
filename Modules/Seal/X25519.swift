internal import CSodium
internal import Identity

/// X25519 (RFC 7748), by libsodium.
package enum X25519 {
  /// A secret key, a public key and what they come to are 32 bytes each.
  package static let length = 32

  /// The exchange came to zeros: the other side's key is a point of small order.
  package struct ZeroResult: Error, Hashable, Sendable {}

  /// Writes the public key of a secret key.
  package static func publicKey(
    of secretKey: UnsafeRawBufferPointer, into publicKey: UnsafeMutableRawBufferPointer
  ) {
    Sodium.start()
    precondition(secretKey.count == length && publicKey.count == length, "a key is 32 bytes")
    _ = crypto_scalarmult_curve25519_base(publicKey.sodium, secretKey.sodium)
  }

  /// Writes what the two keys come to, which is secret and wants hashing before it is a key.
  package static func exchange(
    _ secretKey: UnsafeRawBufferPointer, with publicKey: UnsafeRawBufferPointer,
    into result: UnsafeMutableRawBufferPointer
  ) throws(ZeroResult) {
    Sodium.start()
    precondition(
      secretKey.count == length && publicKey.count == length && result.count == length,
      "a key is 32 bytes")
    // libsodium says -1 exactly when the result is all zeros.
    guard crypto_scalarmult_curve25519(result.sodium, secretKey.sodium, publicKey.sodium) == 0
    else { throw ZeroResult() }
  }
}
