internal import Identity

/// HKDF-SHA256 (RFC 5869).
///
/// Composed from libsodium's HMAC, because libsodium 1.0.18 has no HKDF of its own.
package enum HKDF {
  /// The pseudorandom key's length.
  package static let keyLength = HMAC.codeLength
  /// The most that can be derived: 255 blocks (RFC 5869, section 2.3).
  package static let maximumOutputLength = 255 * HMAC.codeLength

  /// More was asked for than 8,160 bytes.
  package struct OutputTooLong: Error, Hashable, Sendable {}

  /// Extract, then expand, into all of `output`.
  package static func derive(
    salt: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer, info: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) throws(OutputTooLong) {
    guard output.count <= maximumOutputLength else { throw OutputTooLong() }
    withWipedMemory(byteCount: keyLength) { key in
      extract(salt: salt, secret: secret, into: key)
      expand(UnsafeRawBufferPointer(key), into: output) { $0.put(info) }
    }
  }

  /// Writes a secret's pseudorandom key to `key`'s 32 bytes (section 2.2).
  package static func extract(
    salt: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer,
    into key: UnsafeMutableRawBufferPointer
  ) {
    extract(salt: salt, into: key) { $0.put(secret) }
  }

  /// Writes the pseudorandom key of the secret that `feed` puts in to `key`'s 32 bytes (section 2.2).
  static func extract(
    salt: UnsafeRawBufferPointer, into key: UnsafeMutableRawBufferPointer,
    secret feed: (borrowing HMAC) -> Void
  ) {
    // No salt is a salt of zeros: HMAC pads a key with zeros itself.
    HMAC.authenticate(key: salt, into: key, feed)
  }

  /// Fills `output` from a pseudorandom key; `feed` puts the info in, once a block (section 2.3).
  static func expand(
    _ key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    info feed: (borrowing HMAC) -> Void
  ) {
    precondition(output.count <= maximumOutputLength, "over 255 blocks of HKDF")
    withWipedMemory(byteCount: HMAC.codeLength) { block in
      var done = 0
      var counter: UInt8 = 0
      while done < output.count {
        HMAC.authenticate(key: key, into: block) { hmac in
          if counter > 0 { hmac.put(block) }
          feed(hmac)
          hmac.put(bigEndian: counter + 1)
        }
        counter &+= 1
        let count = min(block.count, output.count - done)
        output.part(at: done, count: count).copyMemory(
          from: UnsafeRawBufferPointer(block.part(at: 0, count: count)))
        done += count
      }
    }
  }
}
