internal import CUTF8Proc

/// Columns in a terminal, by Unicode's East Asian width (UAX #11) as utf8proc knows it.
public enum DisplayWidth {
  static let ellipsis = "\u{2026}"

  /// The columns of a harmless text on one line.
  ///
  /// Counted by grapheme cluster: an emoji put together from several takes two, as in terminals
  /// that know Unicode's sequences.
  public static func columns(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + columns($1) }
  }

  /// The text, or as much of it as fits with an ellipsis at its end.
  public static func truncate(_ text: String, toColumns limit: Int) -> String {
    // Most texts are short and ASCII: a byte is at most a column there.
    if text.utf8.count <= limit || columns(text) <= limit { return text }
    guard limit > 0 else { return "" }
    var used = 0
    var kept = ""
    for character in text {
      used += columns(character)
      if used >= limit { break }
      kept.append(character)
    }
    return kept + ellipsis
  }

  static func columns(_ character: Character) -> Int {
    var widest = 0
    for scalar in character.unicodeScalars {
      // A variation selector asks for the emoji form, which is two wide.
      if scalar.value == 0xFE0F { return 2 }
      widest = max(widest, columns(scalar))
    }
    return widest
  }

  static func columns(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x7F { return scalar.value >= 0x20 ? 1 : 0 }
    if scalar.isZeroWidth { return 0 }
    return Int(utf8proc_charwidth(Int32(bitPattern: scalar.value)))
  }
}
