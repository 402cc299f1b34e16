/// Figures as people read them.
enum Figure {
  /// About three significant digits and a unit, in a column of one width.
  static func time(_ nanoseconds: Double) -> String {
    let (value, unit) =
      switch nanoseconds {
      case ..<1e3: (nanoseconds, "ns")
      case ..<1e6: (nanoseconds / 1e3, "us")
      case ..<1e9: (nanoseconds / 1e6, "ms")
      default: (nanoseconds / 1e9, "s ")
      }
    return leading(decimal(value), 6) + " " + unit
  }

  /// About three significant digits, never in powers of ten.
  static func decimal(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "?" }
    let places = value.magnitude < 10 ? 2 : value.magnitude < 100 ? 1 : 0
    let unit: Int64 = [1, 10, 100][places]
    let scaled = Int64((value.magnitude * Double(unit)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let rest = String(scaled % unit)
    return "\(sign)\(scaled / unit)." + String(repeating: "0", count: places - rest.count) + rest
  }

  /// A whole number in groups of three digits.
  static func grouped(_ value: Double) -> String {
    guard value.isFinite, (0..<1e15).contains(value) else { return "?" }
    var text = ""
    for (index, digit) in String(Int64(value.rounded())).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  static func leading(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
