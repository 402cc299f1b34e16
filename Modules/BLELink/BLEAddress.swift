/// A Bluetooth device address, as LE shows it: 48 bits and of which kind they are (Bluetooth Core
/// 5.4, volume 6, part B, section 1.3).
///
/// It names a device for as long as the device keeps it, which may be a quarter of an hour; never a
/// person.
public struct BLEAddress: Hashable, Comparable, Sendable, BitwiseCopyable {
  public enum Kind: UInt8, Hashable, Sendable, BitwiseCopyable {
    case `public` = 0
    case random = 1
  }

  public static let byteCount = 6

  /// The 48 bits, the byte that is written first the most significant.
  public let value: UInt64
  public let kind: Kind

  /// Bits over the 48th are cut off.
  public init(_ value: UInt64, _ kind: Kind = .public) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// Reads `00:AA:01:00:00:00`, in letters of either case; nil for anything else.
  public init?(_ text: some StringProtocol, _ kind: Kind = .public) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == Self.byteCount else { return nil }
    var value: UInt64 = 0
    for part in parts {
      guard part.count == 2 else { return nil }
      for digit in part {
        guard let number = Self.value(ofDigit: digit) else { return nil }
        value = value << 4 | number
      }
    }
    self.init(value, kind)
  }

  private static func value(ofDigit digit: UInt8) -> UInt64? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(digit - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(digit - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(digit - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  public static func < (a: BLEAddress, b: BLEAddress) -> Bool {
    (a.value, a.kind.rawValue) < (b.value, b.kind.rawValue)
  }
}

extension BLEAddress: CustomStringConvertible {
  public var description: String {
    (0..<Self.byteCount).reversed().map { index in
      let byte = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
      let digits = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "0" + digits : digits
    }.joined(separator: ":")
  }
}
