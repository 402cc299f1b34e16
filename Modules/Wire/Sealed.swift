/// A sealed packet's payload: encapsulated key, then ciphertext with its tag (PROTOCOL, section 5).
public enum SealedPayload {
  public static let encapsulatedKeyLength = 32
  public static let tagLength = 16
  /// What the ciphertext adds to the plaintext.
  public static let overhead = encapsulatedKeyLength + tagLength
  /// The sizes that a plaintext is padded to.
  public static let buckets = [256, 512, 1_024, 2_048, 4_096, 8_192]
  public static let lengths = Set(buckets.map { $0 + overhead })

  /// Whether `lengths` has this one, found without hashing: every packet that comes is asked.
  public static func isLength(_ count: Int) -> Bool {
    let bucket = count &- overhead
    return (256...8_192).contains(bucket) && bucket.nonzeroBitCount == 1
  }

  /// The smallest bucket that holds `count` bytes; nil over 8,192.
  public static func bucket(holding count: Int) -> Int? { buckets.first { $0 >= count } }
}

/// What a person says to another under seal.
public enum MessageContent: Hashable, Sendable {
  /// 1…8,045 bytes of UTF-8.
  case text(String)
  /// The message of this id was shown.
  case receipt(MessageID)
  case callSignal(CallSignal)

  public static let maximumTextLength = 8_045

  public var type: UInt8 {
    switch self {
    case .text: 1
    case .receipt: 2
    case .callSignal: 3
    }
  }
}

/// The plaintext inside a sealed packet (PROTOCOL, section 5).
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 32 | sender's signing key |
/// | 32 | 32 | sender's agreement key |
/// | 64 | 64 | signature |
/// | 128 | 16 | message id |
/// | 144 | 1 | content type |
/// | 145 | 2 | body length |
/// | 147 | n | body |
/// | 147 + n | | zeros up to the bucket's size |
public struct Envelope: Hashable, Sendable {
  public static let headerLength = 147

  public let sender: PublicKeys
  public let signature: Signature
  public let messageID: MessageID
  public let content: MessageContent

  public init(
    sender: PublicKeys, signature: Signature, messageID: MessageID, content: MessageContent
  ) {
    self.sender = sender
    self.signature = signature
    self.messageID = messageID
    self.content = content
  }

  /// Why a plaintext is no envelope.
  public enum DecodeError: Error, Hashable, Sendable, CaseIterable {
    case badLength
    case paddingNotZero
    case unknownContent
    case badBody
  }

  /// The plaintext, padded to its bucket; nil when the body is over what the largest one holds.
  public var padded: [UInt8]? {
    let end = Self.headerLength + content.bodyLength
    guard let size = SealedPayload.bucket(holding: end) else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe writeHeader(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<Self.headerLength]))
      unsafe content.writeBody(
        into: UnsafeMutableRawBufferPointer(rebasing: bytes[Self.headerLength..<end]))
    }
    return bytes
  }

  /// Reads a plaintext of one of the bucket sizes; one larger than needed is accepted.
  public init(padded bytes: RawSpan) throws(DecodeError) {
    guard SealedPayload.buckets.contains(bytes.byteCount),
      let signing = SigningPublicKey(bytes), let agreement = AgreementPublicKey(bytes, at: 32),
      let signature = Signature(bytes, at: 64), let messageID = MessageID(bytes, at: 128)
    else { throw .badLength }
    let type = unsafe bytes.unsafeLoad(fromByteOffset: 144, as: UInt8.self)
    let length = UInt16(
      bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 145, as: UInt16.self))
    let end = Self.headerLength + Int(length)
    guard end <= bytes.byteCount else { throw .badLength }
    let padding = bytes.extracting(end..<bytes.byteCount)
    // Every byte is looked at, so that the loop runs over whole vectors.
    guard unsafe padding.withUnsafeBytes({ unsafe $0.reduce(0, |) }) == 0 else {
      throw .paddingNotZero
    }
    let body = bytes.extracting(Self.headerLength..<end)
    sender = PublicKeys(signing: signing, agreement: agreement)
    self.signature = signature
    self.messageID = messageID
    content = try MessageContent(type: type, body: body)
  }
}

extension MessageContent {
  init(type: UInt8, body: RawSpan) throws(Envelope.DecodeError) {
    switch type {
    case 1:
      guard (1...Self.maximumTextLength).contains(body.byteCount),
        let text = String(validating: body)
      else { throw .badBody }
      self = .text(text)
    case 2:
      guard body.byteCount == MessageID.byteCount, let id = MessageID(body) else {
        throw .badBody
      }
      self = .receipt(id)
    case 3:
      guard let signal = CallSignal(body: body) else { throw .badBody }
      self = .callSignal(signal)
    default: throw .unknownContent
    }
  }
}
