/// An interface of a pcapng section, as its description block declares it.
struct PcapngInterface: Hashable, Sendable {
  /// An interface's name is shown; longer ones are cut.
  static let maximumNameLength = 256

  var linkType: LinkType
  var name: String
  /// 0: none.
  var snapshotLength: UInt32
  var resolution = TimestampResolution.decimal(6)
  /// Seconds to add to each time.
  var offsetSeconds: Int64 = 0

  /// What a time of this many units is; nil where no 64-bit nanosecond count can say.
  func time(_ units: UInt64) -> CaptureTime? {
    guard let nanoseconds = resolution.nanoseconds(units) else { return nil }
    let (shift, overflow) = offsetSeconds.multipliedReportingOverflow(by: 1_000_000_000)
    let sum = nanoseconds.addingReportingOverflow(shift)
    return overflow || sum.overflow ? nil : CaptureTime(nanoseconds: sum.partialValue)
  }
}

/// The unit that times of an interface count in (pcapng, option `if_tsresol`).
enum TimestampResolution: Hashable, Sendable {
  /// 10^-n seconds.
  case decimal(Int)
  /// 2^-n seconds.
  case binary(Int)

  init(_ value: UInt8) {
    let exponent = Int(value & 0x7F)
    self = value & 0x80 == 0 ? .decimal(exponent) : .binary(exponent)
  }

  func nanoseconds(_ units: UInt64) -> Int64? {
    switch self {
    case .decimal(let exponent) where exponent <= 9:
      let (value, overflow) = units.multipliedReportingOverflow(by: Self.power(9 - exponent))
      return overflow ? nil : Int64(exactly: value)
    case .decimal(let exponent):
      // 10^19 is the last power that 64 bits hold; of finer units none makes a nanosecond.
      return exponent - 9 > 19 ? 0 : Int64(exactly: units / Self.power(exponent - 9))
    case .binary(let exponent) where exponent < 64:
      let seconds = units >> UInt64(exponent)
      let fraction = units & ((1 << UInt64(exponent)) - 1)
      let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      let product = fraction.multipliedFullWidth(by: 1_000_000_000)
      let part =
        exponent == 0
        ? 0 : product.high << UInt64(64 - exponent) | product.low >> UInt64(exponent)
      let sum = whole.addingReportingOverflow(part)
      return overflow || sum.overflow ? nil : Int64(exactly: sum.partialValue)
    case .binary: return 0
    }
  }

  private static func power(_ exponent: Int) -> UInt64 {
    (0..<exponent).reduce(1) { value, _ in value * 10 }
  }
}
