extension Unicode.Scalar {
  /// Whether a reader sees this character and a terminal only draws it.
  ///
  /// Not so: control characters (C0, DEL, C1), format characters (bidirectional controls, joiners,
  /// tags), line and paragraph separators, private use, unassigned, and whatever Unicode calls
  /// default ignorable (variation selectors, fillers).
  var isPlainlyVisible: Bool {
    if value < 0x7F { return value >= 0x20 }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      return false
    default:
      return !properties.isDefaultIgnorableCodePoint
    }
  }
}
