/// A message between airlink-node and airlink-callaudio.
public protocol PipeMessage: Hashable, Sendable {
  /// The message as one packet of the socket.
  var bytes: [UInt8] { get }

  /// Reads a packet; a message has its exact length.
  init(bytes: [UInt8]) throws(PipeError)

  /// Whether it is of no use when it is late, and may be dropped.
  var isVoice: Bool { get }
}

/// Why a packet is no message; it is counted and skipped.
public enum PipeError: Error, Hashable, Sendable {
  /// Another version's, perhaps.
  case unknownType
  /// Cut, too long, or with a value that there is not.
  case malformed
}

enum PipeLimit {
  /// The most that Opus makes of one frame (RFC 6716, section 3.4).
  static let opusBytes = 1_275
  static let nameBytes = 255
  static let textBytes = 200
  /// A type, a number and a frame; nothing is longer.
  static let messageBytes = 1 + 4 + opusBytes
}

/// Reads fields from the front; nothing is left at the end.
struct PipeReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  private mutating func take(_ count: Int) throws(PipeError) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw .malformed }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func uint8() throws(PipeError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .malformed }
    return byte
  }

  mutating func uint16() throws(PipeError) -> UInt16 {
    try take(2).reduce(0) { $0 << 8 | UInt16($1) }
  }

  mutating func uint32() throws(PipeError) -> UInt32 {
    try take(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// All that is left: one frame.
  mutating func opus() throws(PipeError) -> [UInt8] {
    guard (1...PipeLimit.opusBytes).contains(rest.count) else { throw .malformed }
    return Array(try take(rest.count))
  }

  mutating func text(_ count: Int) throws(PipeError) -> String {
    guard let text = String(validating: try take(count), as: UTF8.self) else { throw .malformed }
    return text
  }

  /// All that is left.
  mutating func text() throws(PipeError) -> String {
    guard rest.count <= PipeLimit.textBytes else { throw .malformed }
    return try text(rest.count)
  }

  func end() throws(PipeError) { guard rest.isEmpty else { throw .malformed } }
}

/// Puts fields behind a message's type.
struct PipeWriter {
  private(set) var bytes: [UInt8]

  init(type: UInt8) { bytes = [type] }

  mutating func put(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  mutating func put(_ more: [UInt8]) { bytes += more }

  /// As much of the text as fits, in whole characters.
  static func utf8(_ text: String, upTo limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      let more = UTF8.encode(scalar).map(Array.init) ?? []
      guard bytes.count + more.count <= limit else { break }
      bytes += more
    }
    return bytes
  }
}
