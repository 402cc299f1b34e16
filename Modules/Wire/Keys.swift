private typealias Words4 = (UInt64, UInt64, UInt64, UInt64)

/// An Ed25519 public key (RFC 8032).
public struct SigningPublicKey: FixedBytes {
  private var words: Words4 = (0, 0, 0, 0)
  public init() {}
  public static func == (a: Self, b: Self) -> Bool { a.words == b.words }
  public func hash(into hasher: inout Hasher) {
    unsafe withUnsafeBytes(of: self) { unsafe hasher.combine(bytes: $0) }
  }
}

/// An X25519 public key (RFC 7748).
public struct AgreementPublicKey: FixedBytes {
  private var words: Words4 = (0, 0, 0, 0)
  public init() {}
  public static func == (a: Self, b: Self) -> Bool { a.words == b.words }
  public func hash(into hasher: inout Hasher) {
    unsafe withUnsafeBytes(of: self) { unsafe hasher.combine(bytes: $0) }
  }
}

/// An Ed25519 signature (RFC 8032).
public struct Signature: FixedBytes {
  private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
    (0, 0, 0, 0, 0, 0, 0, 0)
  public init() {}
  public static func == (a: Self, b: Self) -> Bool {
    unsafe withUnsafeBytes(of: a) { left in
      unsafe withUnsafeBytes(of: b) { right in unsafe left.elementsEqual(right) }
    }
  }
  public func hash(into hasher: inout Hasher) {
    unsafe withUnsafeBytes(of: self) { unsafe hasher.combine(bytes: $0) }
  }
}

/// What a person is on the mesh: both long-term public keys.
public struct PublicKeys: Hashable, Comparable, Sendable, BitwiseCopyable {
  public let signing: SigningPublicKey
  public let agreement: AgreementPublicKey

  public init(signing: SigningPublicKey, agreement: AgreementPublicKey) {
    self.signing = signing
    self.agreement = agreement
  }

  /// Signing key, then agreement key: 64 bytes.
  public var bytes: [UInt8] { signing.bytes + agreement.bytes }

  public static let byteCount = SigningPublicKey.byteCount + AgreementPublicKey.byteCount

  /// Orders by signing key ‖ agreement key compared as bytes.
  public static func < (a: PublicKeys, b: PublicKeys) -> Bool {
    a.signing == b.signing ? a.agreement < b.agreement : a.signing < b.signing
  }
}
