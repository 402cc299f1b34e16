extension Unicode.Scalar {
  /// Whether a reader sees this character and a terminal only draws it.
  ///
  /// Not so: control characters (C0, DEL, C1), format characters (bidirectional controls, joiners,
  /// tags), line and paragraph separators, private use, unassigned, and whatever Unicode calls
  /// default ignorable (variation selectors, fillers).
  var isPlainlyVisible: Bool {
    if value < 0x7F { return value >= 0x20 }
    if Self.isPrependedMark(value) { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      return false
    default:
      return !properties.isDefaultIgnorableCodePoint
    }
  }

  /// Format characters that are drawn: signs that span the digits after them, as U+06DD
  /// (Prepended_Concatenation_Mark).
  private static func isPrependedMark(_ value: UInt32) -> Bool {
    switch value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: true
    default: false
    }
  }
}
