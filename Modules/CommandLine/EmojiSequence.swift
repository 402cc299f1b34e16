/// The invisible characters that emoji are put together with (UTS #51).
enum EmojiSequence {
  /// Whether a variation selector may follow: after an emoji, and after a digit, `#` or `*` only in
  /// a keycap.
  static func takesSelector(_ base: Unicode.Scalar, after: Unicode.Scalar?) -> Bool {
    guard base.properties.isEmoji else { return false }
    return base.value > 0x7F || after == "\u{20E3}"
  }

  /// Whether a joiner at `index` stands between two emoji: a selector or a skin tone may stand
  /// between it and the first.
  static func joins(_ text: [Unicode.Scalar], before index: Int, after: Unicode.Scalar) -> Bool {
    guard after.value > 0x7F, after.properties.isEmoji, index > 0 else { return false }
    var before = text[index - 1]
    if before.value == 0xFE0F {
      guard index > 1 else { return false }
      before = text[index - 2]
    }
    return before.value > 0x7F && before.properties.isEmoji
  }

  /// How many scalars the flag of England, Scotland or Wales takes, where one begins here: the only
  /// three sequences of tags that Unicode recommends.
  static func tags(in text: [Unicode.Scalar], at index: Int) -> Int? {
    guard text[index].value == 0x1F3F4, index + flagLength <= text.count else { return nil }
    let tags = text[(index + 1)..<(index + flagLength)].map(\.value)
    return regions.contains { $0 == tags } ? flagLength : nil
  }

  private static let flagLength = 7
  private static let regions: [[UInt32]] = ["gbeng", "gbsct", "gbwls"].map { name in
    name.unicodeScalars.map { 0xE0000 + $0.value } + [0xE007F]
  }
}

/// Scripts spelled with U+200C and U+200D (after RFC 5892, appendix A.1 and A.2).
enum JoiningScript {
  /// Whether a (non-)joiner between these two is a matter of spelling: between Arabic-script
  /// letters, or after an Indic virama.
  static func allows(_ before: Unicode.Scalar, _ after: Unicode.Scalar?) -> Bool {
    // Canonical combining class 9 is virama.
    if before.properties.canonicalCombiningClass.rawValue == 9 { return true }
    guard let after else { return false }
    return isArabicScriptLetter(before) && isArabicScriptLetter(after)
  }

  private static func isArabicScriptLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Arabic, Syriac, Arabic Supplement; N'Ko; Arabic Extended.
    case 0x0620...0x077F, 0x07CA...0x07F5, 0x0860...0x08FF:
      return scalar.properties.generalCategory == .otherLetter
    default: return false
    }
  }
}
