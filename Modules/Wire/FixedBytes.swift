/// A value of a fixed number of bytes, held in line: an id, a key, a signature.
///
/// A conformer stores nothing but those bytes, as whole 64-bit words, so that its memory is the
/// value as it stands on the wire. One struct a meaning, so that a key is never taken for an id.
public protocol FixedBytes: BitwiseCopyable, Hashable, Comparable, Sendable,
  CustomStringConvertible
{
  /// All bytes zero.
  init()
}

extension FixedBytes {
  public static var byteCount: Int { MemoryLayout<Self>.size }

  /// The value of exactly `byteCount` bytes; nil for any other count.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init()
    unsafe withUnsafeMutableBytes(of: &self) { unsafe $0.copyBytes(from: bytes) }
  }

  /// The value that stands at `offset`; nil when the span ends before it does.
  public init?(_ span: RawSpan, at offset: Int = 0) {
    guard offset >= 0, offset <= span.byteCount - Self.byteCount else { return nil }
    self = unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: Self.self)
  }

  /// The value that `hex` writes out, in either case; nil for anything else.
  public init?(hex: some StringProtocol) {
    guard let bytes = [UInt8](hex: hex) else { return nil }
    self.init(bytes)
  }

  public var bytes: [UInt8] { unsafe withUnsafeBytes(of: self) { unsafe Array($0) } }

  /// Lower-case hexadecimal digits.
  public var hex: String { unsafe withUnsafeBytes(of: self) { unsafe String(hexOf: $0) } }

  public var description: String { hex }

  /// Orders by the bytes, the first one weighing most.
  public static func < (a: Self, b: Self) -> Bool {
    unsafe withUnsafeBytes(of: a) { left in
      unsafe withUnsafeBytes(of: b) { right in unsafe left.lexicographicallyPrecedes(right) }
    }
  }
}

extension [UInt8] {
  /// The bytes that pairs of hexadecimal digits write out; nil for anything else.
  public init?(hex: some StringProtocol) {
    let digits = hex.utf8
    guard digits.count.isMultiple(of: 2) else { return nil }
    self.init()
    reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let value = Self.hexValue(digit) else { return nil }
      if let first = high {
        append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Lower-case hexadecimal digits.
  public var hex: String { unsafe withUnsafeBytes { unsafe String(hexOf: $0) } }

  public mutating func append(_ value: some FixedBytes) {
    unsafe Swift.withUnsafeBytes(of: value) { unsafe append(contentsOf: $0) }
  }

  /// Appends an integer, most significant byte first.
  public mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) {
    unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
  }
}

extension String {
  /// Two lower-case digits a byte.
  fileprivate init(hexOf bytes: UnsafeRawBufferPointer) {
    func digit(_ value: UInt8) -> UInt8 {
      value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
    unsafe self.init(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
      for index in bytes.indices {
        let byte = unsafe bytes[index]
        unsafe digits[2 * index] = digit(byte >> 4)
        unsafe digits[2 * index + 1] = digit(byte & 15)
      }
      return 2 * bytes.count
    }
  }
}
