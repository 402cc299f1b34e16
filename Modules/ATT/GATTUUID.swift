/// What a service, characteristic or descriptor is; short ones stand for a part of a base UUID
/// (Bluetooth Core 5.4, volume 3, part B, section 2.5.1).
public struct GATTUUID: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64

  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// One of the 16-bit ones.
  public init(_ short: UInt16) {
    high = UInt64(short) << 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// Reads the bytes of an ATT PDU, the least significant first; nil unless there are 2 or 16.
  init?(bytes: some Collection<UInt8>) {
    switch bytes.count {
    case 2: self.init(UInt16(truncatingIfNeeded: Self.value(bytes)))
    case 16: self.init(high: Self.value(bytes.dropFirst(8)), low: Self.value(bytes.prefix(8)))
    default: return nil
    }
  }

  private static func value(_ bytes: some Collection<UInt8>) -> UInt64 {
    Array(bytes).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  /// The 16 bits, if it is a short one.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_0000_FFFF_FFFF == Self.baseHigh else { return nil }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  /// As in an ATT PDU: 2 bytes where they will do, else 16.
  var bytes: [UInt8] {
    if let short {
      return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)]
    }
    return longBytes
  }

  /// 16 bytes, the least significant first.
  public var longBytes: [UInt8] {
    [low, high].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
    }
  }

  static let primaryService = GATTUUID(0x2800)
  static let characteristic = GATTUUID(0x2803)
  static let configuration = GATTUUID(0x2902)
  static let genericAccess = GATTUUID(0x1800)
  static let genericAttribute = GATTUUID(0x1801)
  static let deviceName = GATTUUID(0x2A00)
  static let appearance = GATTUUID(0x2A01)
}
