internal import CSodium
public import Wire

/// A person's long-term keys, the secret halves included (PROTOCOL, section 1).
///
/// Ed25519 for signing and X25519 for agreement, made from 64 bytes of seed: 32 for each.
public final class Identity: Sendable {
  public static let seedLength = 64

  public let publicKeys: PublicKeys
  public let fingerprint: Fingerprint
  private let signingSecret: SecretBytes
  private let agreementSecret: SecretBytes

  /// The keys that a seed makes: its first 32 bytes the Ed25519 seed, the others the X25519 scalar.
  ///
  /// Nil for another length.
  public init?(seed: borrowing SecretBytes) {
    Sodium.start()
    guard seed.count == Self.seedLength else { return nil }
    var signingKey = SigningPublicKey()
    var agreementKey = AgreementPublicKey()
    var signingSecret = SecretBytes(count: Int(crypto_sign_SECRETKEYBYTES))
    var agreementSecret = SecretBytes(count: Int(crypto_scalarmult_SCALARBYTES))
    seed.withUnsafeBytes { seed in
      withUnsafeMutableBytes(of: &signingKey) { key in
        signingSecret.withUnsafeMutableBytes { secret in
          _ = crypto_sign_seed_keypair(key.sodium, secret.sodium, seed.sodium)
        }
      }
      withUnsafeMutableBytes(of: &agreementKey) { key in
        agreementSecret.withUnsafeMutableBytes { secret in
          secret.copyBytes(from: UnsafeRawBufferPointer(rebasing: seed[32...]))
          _ = crypto_scalarmult_base(key.sodium, seed.sodium + 32)
        }
      }
    }
    self.signingSecret = signingSecret
    self.agreementSecret = agreementSecret
    publicKeys = PublicKeys(signing: signingKey, agreement: agreementKey)
    fingerprint = publicKeys.fingerprint
  }

  /// An Ed25519 signature over `message`.
  public func sign(_ message: [UInt8]) -> Signature {
    message.withUnsafeBytes { sign($0) }
  }

  /// The same over bytes where they lie: Seal signs inside the payload it builds.
  package func sign(_ message: UnsafeRawBufferPointer) -> Signature {
    var signature = Signature()
    withUnsafeMutableBytes(of: &signature) { out in
      signingSecret.withUnsafeBytes { secret in
        _ = crypto_sign_detached(
          out.sodium, nil, message.sodium, UInt64(message.count), secret.sodium)
      }
    }
    return signature
  }

  /// The seed that these keys were made from.
  func makeSeed() -> SecretBytes {
    var seed = SecretBytes(count: Self.seedLength)
    seed.withUnsafeMutableBytes { seed in
      // libsodium's secret signing key is its 32-byte seed, then the public key.
      signingSecret.withUnsafeBytes {
        seed.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<32]))
      }
      agreementSecret.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: seed[32...]).copyMemory(from: $0)
      }
    }
    return seed
  }

  /// Whether both have the same secret keys, compared in constant time.
  func hasSameSecrets(as other: Identity) -> Bool {
    makeSeed().matches(other.makeSeed()) && publicKeys == other.publicKeys
  }

  /// Lends the X25519 scalar to `body`, for Seal.
  package func withAgreementSecret<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try agreementSecret.withUnsafeBytes(body)
  }
}

extension PublicKeys {
  /// The first 8 bytes of SHA-256(signing key ‖ agreement key).
  public var fingerprint: Fingerprint {
    Sodium.start()
    return withUnsafeTemporaryAllocation(byteCount: Int(crypto_hash_sha256_BYTES), alignment: 8) {
      digest in
      withUnsafeBytes(of: self) {
        _ = crypto_hash_sha256(digest.sodium, $0.sodium, UInt64($0.count))
      }
      return Fingerprint(digest[..<Fingerprint.byteCount]) ?? .everyone
    }
  }
}

extension Signature {
  /// Whether this is `key`'s signature over `message`, by libsodium's rules.
  public func isValid(for message: [UInt8], by key: SigningPublicKey) -> Bool {
    message.withUnsafeBytes { isValid(for: $0, by: key) }
  }

  /// The same over bytes where they lie.
  package func isValid(for message: UnsafeRawBufferPointer, by key: SigningPublicKey) -> Bool {
    Sodium.start()
    return withUnsafeBytes(of: self) { signature in
      withUnsafeBytes(of: key) { key in
        crypto_sign_verify_detached(
          signature.sodium, message.sodium, UInt64(message.count), key.sodium) == 0
      }
    }
  }
}
