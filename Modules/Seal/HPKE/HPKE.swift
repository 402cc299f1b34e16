internal import Identity

/// HPKE in base mode (RFC 9180), with the one suite that AirLink uses.
///
/// KEM 0x0020 DHKEM(X25519, HKDF-SHA256), KDF 0x0001 HKDF-SHA256, AEAD 0x0003 ChaCha20-Poly1305.
/// No other mode, and nothing negotiated: the files beside this one are the RFC's own parts.
package enum HPKE {
  /// What a derived value belongs to, so that KEM and encryption never share one (section 4).
  enum SuiteID {
    case kem, encryption

    var bytes: StaticString {
      switch self {
      case .kem: "KEM\u{00}\u{20}"
      case .encryption: "HPKE\u{00}\u{20}\u{00}\u{01}\u{00}\u{03}"
      }
    }
  }

  /// LabeledExtract (section 4): `feed` puts the input keying material in.
  static func labeledExtract(
    _ suite: SuiteID, salt: UnsafeRawBufferPointer, label: StaticString,
    into key: UnsafeMutableRawBufferPointer, secret feed: (borrowing HMAC) -> Void
  ) {
    HKDF.extract(salt: salt, into: key) { hmac in
      hmac.put("HPKE-v1")
      hmac.put(suite.bytes)
      hmac.put(label)
      feed(hmac)
    }
  }

  /// LabeledExpand (section 4): `feed` puts the info in.
  static func labeledExpand(
    _ suite: SuiteID, _ key: UnsafeRawBufferPointer, label: StaticString,
    into output: UnsafeMutableRawBufferPointer, info feed: (borrowing HMAC) -> Void
  ) {
    HKDF.expand(key, into: output) { hmac in
      hmac.put(bigEndian: UInt16(output.count))
      hmac.put("HPKE-v1")
      hmac.put(suite.bytes)
      hmac.put(label)
      feed(hmac)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// No bytes at all: an empty salt, info or text.
  static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}
