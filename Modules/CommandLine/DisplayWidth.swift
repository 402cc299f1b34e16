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
    let scalars = character.unicodeScalars
    if scalars.count > 1, scalars.contains(where: makesEmoji) { return 2 }
    if scalars.contains("\u{200D}"), scalars.last?.properties.isEmoji == true { return 2 }
    // Not the widest alone: terminals draw an Indic conjunct letter by letter.
    return scalars.reduce(0) { $0 + columns($1) }
  }

  /// Whether a character with this in it is one emoji, two columns wide: the selector of the emoji
  /// form, a skin tone, a flag's letter.
  private static func makesEmoji(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFE0F, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF: true
    default: false
    }
  }

  static func columns(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x7F { return scalar.value >= 0x20 ? 1 : 0 }
    if scalar.isZeroWidth { return 0 }
    return Int(utf8proc_charwidth(Int32(bitPattern: scalar.value)))
  }
}
