/// A hello's payload: the contact card that everyone in range gets (PROTOCOL, section 4).
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 32 | signing key |
/// | 32 | 32 | agreement key |
/// | 64 | 1 | name length n, 0…64 |
/// | 65 | n | name, UTF-8 |
/// | 65 + n | 64 | signature |
public struct Hello: Hashable, Sendable {
  public static let maximumNameLength = 64
  public static let payloadLengths = 129...(129 + maximumNameLength)

  public let keys: PublicKeys
  /// As sent: any characters at all, to be made harmless before it is shown.
  public let name: String
  public let signature: Signature

  /// Why bytes are no hello.
  public enum DecodeError: Error, Hashable, Sendable {
    case badLength(Int)
    case nameNotUTF8
  }

  public init(keys: PublicKeys, name: String, signature: Signature) {
    precondition(name.utf8.count <= Self.maximumNameLength, "a name over 64 bytes")
    self.keys = keys
    self.name = name
    self.signature = signature
  }

  public init(payload: RawSpan) throws(DecodeError) {
    let count = payload.byteCount
    guard Self.payloadLengths.contains(count),
      let signing = SigningPublicKey(payload), let agreement = AgreementPublicKey(payload, at: 32),
      Int(unsafe payload.unsafeLoad(fromByteOffset: 64, as: UInt8.self)) == count - 129,
      let signature = Signature(payload, at: count - Signature.byteCount)
    else { throw .badLength(count) }
    let bytes = payload.extracting(65..<(count - Signature.byteCount))
    guard let name = String(validating: bytes) else { throw .nameNotUTF8 }
    keys = PublicKeys(signing: signing, agreement: agreement)
    self.name = name
    self.signature = signature
  }

  /// The payload up to the signature.
  public static func unsignedPayload(keys: PublicKeys, name: String) -> [UInt8] {
    keys.bytes + [UInt8(name.utf8.count)] + Array(name.utf8)
  }

  public var payload: [UInt8] {
    Self.unsignedPayload(keys: keys, name: name) + signature.bytes
  }

  /// What the signature of a hello covers.
  public static func signedBytes(id: PacketID, time: Timestamp, unsignedPayload: [UInt8])
    -> [UInt8]
  {
    var bytes = Array("airlink-hello-v1".utf8)
    bytes.append(id)
    bytes.append(bigEndian: time.milliseconds)
    return bytes + unsignedPayload
  }
}

extension String {
  /// The text that `bytes` are in UTF-8; nil when they are not.
  package init?(validating bytes: RawSpan) {
    let text = unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    guard let text else { return nil }
    self = text
  }
}
