internal import Capture
internal import CommandLine
internal import Wire

/// A link's name as it stands on lines: harmless, filled up to its column.
///
/// A class, so that to hand it on costs a line one count and not two.
final class LinkLabel {
  let name: String
  let padded: [UInt8]
  private static let marks = Array("\"<>".utf8)

  init(_ name: String) {
    var text = DisplayText(name)
    // Otherwise a name could look like what stands behind it.
    if name.contains("  ") || name.utf8.contains(where: { Self.marks.contains($0) }) {
      text = DisplayText(text.inQuotes)
    }
    let whole =
      text.columns < LinePrinter.linkColumns
      ? text.padded(toColumns: LinePrinter.linkColumns)
      : text.truncated(toColumns: LinePrinter.maximumLinkColumns).description
    self.name = text.description
    padded = Array(whole.utf8)
  }
}

extension DisplayText {
  /// The text in quotation marks, with those that are in it escaped: where it ends is certain.
  var inQuotes: String {
    var quoted = "\""
    for character in description.unicodeScalars {
      if character == "\"" || character == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(character)
    }
    return quoted + "\""
  }
}

/// The parts that every line has.
extension TextCursor {
  /// When and where: what every line begins with.
  @inline(__always)
  mutating func put(_ crossing: Crossing, link: LinkLabel) {
    if let time = crossing.time { put(timeOfDay: time) }
    link.padded.withUnsafeBytes { put($0) }
    switch crossing.direction {
    case .outbound: put(" > ")
    case .inbound: put(" < ")
    case nil: put("   ")
    }
  }

  /// A time as `10:25:56.123456 `, UTC.
  @inline(__always)
  mutating func put(timeOfDay time: CaptureTime) {
    let day: Int64 = 86_400_000_000_000
    let within = UInt64((time.nanoseconds % day + day) % day / 1_000)
    let (seconds, fraction) =
      (UInt32(within / 1_000_000), UInt32(within % 1_000_000))
    put(twoDigits: seconds / 3_600)
    put(byte: UInt8(ascii: ":"))
    put(twoDigits: seconds / 60 % 60)
    put(byte: UInt8(ascii: ":"))
    put(twoDigits: seconds % 60)
    put(byte: UInt8(ascii: "."))
    put(twoDigits: fraction / 10_000)
    put(twoDigits: fraction / 100 % 100)
    put(twoDigits: fraction % 100)
    put(byte: UInt8(ascii: " "))
  }

  /// Milliseconds as seconds: `-0.012 s`.
  @inline(__always)
  mutating func putSeconds(milliseconds: Int64) {
    if milliseconds < 0 { put("-") }
    let (seconds, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
    if seconds < 1_000 { put(small: UInt32(seconds)) } else { put(decimal: seconds) }
    put(".")
    put(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / 100))
    put(twoDigits: UInt32(rest % 100))
    put(" s")
  }

  /// The kind, filled up to its column.
  @inline(__always)
  mutating func put(kind: PacketKind) {
    switch kind {
    case .hello: put("hello   ")
    case .sealed: put("sealed  ")
    case .voice: put("voice   ")
    case .unknown(let value):
      let start = count
      put("kind-")
      put(decimal: Int64(value))
      for _ in 0..<max(0, start + 8 - count) { put(" ") }
    }
  }

  /// As `Number` has it, at hand without being made first.
  private static var alphabet: StaticString { "0123456789ABCDEFGHJKMNPQRSTVWXYZ" }

  /// Whom a packet is for, as `XXXX-XXXX` or `everyone `.
  @inline(__always)
  mutating func put(number destination: Fingerprint) {
    guard destination != .everyone else { return put("everyone ") }
    guard room.count - count >= 9 else { return }
    let value = destination.value >> 24
    for place in 0..<8 {
      let digit = Self.alphabet.utf8Start[Int(value &>> UInt64(35 - 5 * place) & 31)]
      room[count + (place < 4 ? place : place + 1)] = digit
    }
    room[count + 4] = UInt8(ascii: "-")
    count += 9
  }
}
