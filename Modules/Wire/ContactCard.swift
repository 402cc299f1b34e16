/// A person's card outside the mesh: a hello's payload signed under a label of its own, then the
/// time (PROTOCOL, section 1).
///
/// As text: `airlink-card-v1:` and unpadded base64url.
public struct ContactCard: Hashable, Sendable {
  public static let textPrefix = "airlink-card-v1:"

  /// Keys, name and signature as in a hello.
  public let hello: Hello
  public let time: Timestamp

  /// Why a text is no card.
  public enum DecodeError: Error, Hashable, Sendable {
    case missingPrefix
    case badBase64
    case badLength(Int)
    case nameNotUTF8
  }

  public init(hello: Hello, time: Timestamp) {
    self.hello = hello
    self.time = time
  }

  /// What the signature of a card covers.
  public static func signedBytes(time: Timestamp, unsignedPayload: [UInt8]) -> [UInt8] {
    var bytes = Array("airlink-card-v1".utf8)
    bytes.append(bigEndian: time.milliseconds)
    return bytes + unsignedPayload
  }

  public init(bytes: [UInt8]) throws(DecodeError) {
    let span = unsafe bytes.span.bytes
    guard bytes.count > 8 else { throw .badLength(bytes.count) }
    do throws(Hello.DecodeError) {
      hello = try Hello(payload: span.extracting(0..<(bytes.count - 8)))
    } catch {
      switch error {
      case .badLength: throw .badLength(bytes.count)
      case .nameNotUTF8: throw .nameNotUTF8
      }
    }
    time = Timestamp(
      milliseconds: UInt64(
        bigEndian: unsafe span.unsafeLoadUnaligned(
          fromByteOffset: bytes.count - 8, as: UInt64.self)))
  }

  public var bytes: [UInt8] {
    var bytes = hello.payload
    bytes.append(bigEndian: time.milliseconds)
    return bytes
  }

  /// Reads a card's text; white space around it is passed over.
  public init(text: String) throws(DecodeError) {
    let white: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let trimmed = text.utf8.drop { white.contains($0) }
    let end = trimmed.lastIndex { !white.contains($0) }.map(trimmed.index(after:))
    let core = trimmed[..<(end ?? trimmed.startIndex)]
    guard core.starts(with: Self.textPrefix.utf8) else { throw .missingPrefix }
    guard let bytes = [UInt8](base64URL: core.dropFirst(Self.textPrefix.utf8.count)) else {
      throw .badBase64
    }
    try self.init(bytes: bytes)
  }

  public var text: String { Self.textPrefix + bytes.base64URL }
}
