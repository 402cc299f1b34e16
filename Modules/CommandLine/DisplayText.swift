/// A text of somebody else's, made harmless for a terminal.
///
/// Whatever is not plainly visible becomes U+FFFD, one for one: the replacement never lengthens a
/// text and looks like nothing else that could be in it. So no text moves the cursor, changes
/// colours, reorders a line or hides a part of itself. What is kept beside plain characters:
/// - combining marks, `maximumMarks` to a character; one U+FFFD stands for all further ones, and
///   marks with nothing to stand on get a dotted circle;
/// - joiners, variation selectors and tags where they make up one emoji;
/// - a (non-)joiner between letters of scripts that are spelled with it.
public struct DisplayText: Sendable, Equatable, CustomStringConvertible {
  /// What becomes of line breaks (LF, CR LF, CR).
  public enum LineBreaks: Sendable {
    /// A visible arrow, U+21B5: the text is one line.
    case shown
    /// A line feed each: `lines` cuts there.
    case kept
  }

  /// Stacks in living scripts need three; 4 leaves room.
  public static let maximumMarks = 4
  static let replacement: Unicode.Scalar = "\u{FFFD}"
  static let shownLineBreak: Unicode.Scalar = "\u{21B5}"
  /// Joiners in one emoji; a family of four has three.
  static let maximumJoiners = 4
  /// Columns from one tabulator stop to the next.
  static let tabColumns = 4

  /// The harmless text.
  public let description: String

  public init(_ text: some StringProtocol, lineBreaks: LineBreaks = .shown) {
    var filter = DisplayFilter(Array(text.unicodeScalars), lineBreaks)
    description = filter.run()
  }

  /// A person's name: one line, white space at the ends left out and within it made one space.
  public init(name: some StringProtocol) {
    // U+2800, the empty braille cell, is a space to the eye.
    let words = name.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\u{2800}" }
    self.init(words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " "))
  }

  private init(harmless: String) { description = harmless }

  public var isEmpty: Bool { description.isEmpty }

  /// The lines of a text whose line breaks were kept; at least one.
  public var lines: [String] {
    description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// How many columns the text takes on one line of a terminal.
  public var columns: Int { DisplayWidth.columns(description) }

  /// The text, or as much of it as fits with an ellipsis at its end.
  public func truncated(toColumns limit: Int) -> DisplayText {
    DisplayText(harmless: DisplayWidth.truncate(description, toColumns: limit))
  }

  /// The text with spaces after it up to this many columns, cut where it is longer.
  public func padded(toColumns columns: Int) -> String {
    let text = truncated(toColumns: columns)
    return text.description + String(repeating: " ", count: max(0, columns - text.columns))
  }
}
