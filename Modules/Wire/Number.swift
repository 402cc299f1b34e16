/// A person's number: the first 40 bits of the fingerprint, shown as `XXXX-XXXX` in Crockford's
/// base 32, which leaves out I, L, O and U.
public struct Number: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// Below 2^40.
  public let value: UInt64

  public init(_ fingerprint: Fingerprint) { value = fingerprint.value >> 24 }

  /// Why a text is not a number.
  public enum ParseError: Error, Hashable, Sendable {
    /// This many characters beside spaces and hyphens, in place of eight.
    case wrongLength(Int)
    /// A character outside the alphabet; the letter U is one.
    case badCharacter(Unicode.Scalar)
  }

  static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Reads a number as people write it: case does not matter, spaces and hyphens are passed over,
  /// `I` and `L` are read as 1 and `O` as 0.
  public init(parsing text: some StringProtocol) throws(ParseError) {
    var value: UInt64 = 0
    var count = 0
    for scalar in text.unicodeScalars {
      if scalar == " " || scalar == "-" { continue }
      guard let digit = Self.digit(scalar) else { throw .badCharacter(scalar) }
      count += 1
      if count <= 8 { value = value << 5 | digit }
    }
    guard count == 8 else { throw .wrongLength(count) }
    self.value = value
  }

  private static func digit(_ scalar: Unicode.Scalar) -> UInt64? {
    guard let byte = UInt8(exactly: scalar.value) else { return nil }
    let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
    switch upper {
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    case UInt8(ascii: "O"): return 0
    default: return alphabet.firstIndex(of: upper).map { UInt64($0) }
    }
  }

  /// Examples in texts, never anybody's: `0000-0000`, `1234-5678`, `ABCD-EFGH`.
  public var isReserved: Bool { Self.reserved.contains(value) }

  private static let reserved: Set<UInt64> = [
    0x00_0000_0000,
    0x08_8642_98E8,  // 1234-5678
    0x52_D8D7_3E11,  // ABCD-EFGH
  ]

  public var description: String {
    let digits = (0..<8).map { Self.alphabet[Int(value >> (35 - 5 * UInt64($0)) & 31)] }
    return String(decoding: digits[..<4], as: UTF8.self) + "-"
      + String(decoding: digits[4...], as: UTF8.self)
  }

  public static func < (a: Number, b: Number) -> Bool { a.value < b.value }
}
