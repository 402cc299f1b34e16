internal import CSodium
package import Wire

extension Identity {
  /// How often new keys are thrown away before the source of randomness is taken to be broken.
  ///
  /// A reserved number comes up once in 2^38 times.
  private static let maximumTries = 100

  /// New keys from the system's randomness; reserved numbers are thrown away and made again.
  public static func generate() -> Identity {
    generate(
      random: { bytes in
        Sodium.start()
        randombytes_buf(bytes.sodium, bytes.count)
      }, isReserved: { $0.number.isReserved })
  }

  /// New keys from seeds that `random` fills in; tests give a source and a rule of their own.
  package static func generate(
    random: (UnsafeMutableRawBufferPointer) -> Void, isReserved: (Fingerprint) -> Bool
  ) -> Identity {
    for _ in 0..<maximumTries {
      var seed = SecretBytes(count: seedLength)
      seed.withUnsafeMutableBytes(random)
      guard let identity = Identity(seed: seed), identity.fingerprint != .everyone,
        !isReserved(identity.fingerprint)
      else { continue }
      return identity
    }
    preconditionFailure("the source of randomness gives reserved numbers again and again")
  }

  /// A key of 32 bytes for sealing the files of the home that `label` names.
  ///
  /// BLAKE2b as libsodium's `crypto_kdf` uses it, keyed with both secrets (the seed, 64 bytes): the
  /// label is the message, the personalisation `airlink-storage1`. Keys of two labels say nothing
  /// about each other or about the seed.
  public func storageKey(_ label: String) -> SecretBytes {
    let label = Array(label.utf8)
    let personal = Array("airlink-storage1".utf8)
    var key = SecretBytes(count: SecretBox.keyLength)
    let seed = makeSeed()
    key.withUnsafeMutableBytes { key in
      seed.withUnsafeBytes { seed in
        _ = crypto_generichash_blake2b_salt_personal(
          key.sodium, key.count, label, UInt64(label.count), seed.sodium, seed.count, nil, personal)
      }
    }
    return key
  }
}
