internal import Chat
internal import CommandLine

/// How prompt and line stand on the screen: rows, and where the cursor is.
///
/// Every row ends before the terminal's edge and is broken here, never by the terminal: so it is
/// known how many rows there are, whatever the terminal thinks of a character's width.
struct LineLayout: Equatable, Sendable {
  /// One row as the terminal gets it, and the cells it may take.
  struct Row: Equatable, Sendable {
    var text = ""
    var cells = 0
  }

  private(set) var rows: [Row] = [Row()]
  /// The row that the cursor is in.
  private(set) var cursorRow = 0
  /// What stands before the cursor in its row.
  private(set) var beforeCursor = Row()

  /// The prompt takes no more than a third of a row.
  private static let promptShare = 3
  /// In a very narrow terminal rows are drawn as if it were this wide.
  static let narrowest = 8

  /// Lays out a line whose cursor stands after `cursor` scalars, on a terminal of this width.
  ///
  /// Of more than `maximumRows` rows those around the cursor are shown.
  init(
    prompt: StyledText, line: String, cursor: Int, columns: Int, maximumRows: Int, colors: Bool
  ) {
    let limit = max(Self.narrowest, columns) - 1
    let clipped = Self.clip(prompt, to: max(2, limit / Self.promptShare))
    rows[0].text = clipped.rendered(colors: colors)
    rows[0].cells = CellWidth.most(clipped.plain)

    let scalars = line.unicodeScalars
    let split = scalars.index(scalars.startIndex, offsetBy: cursor, limitedBy: scalars.endIndex)
    let before = String(scalars[..<(split ?? scalars.endIndex)])
    let after = String(scalars[(split ?? scalars.endIndex)...])
    append(before, limit)
    cursorRow = rows.count - 1
    beforeCursor = rows[cursorRow]
    append(after, limit)
    showAround(maximumRows: max(1, maximumRows))
  }

  private mutating func append(_ text: String, _ limit: Int) {
    for character in DisplayText(text, lineBreaks: .kept).description {
      if character == "\n" {
        rows.append(Row())
        continue
      }
      let cells = CellWidth.most(character)
      if cells > limit {
        // Emoji joined without end are one character: shown in its parts.
        for scalar in character.unicodeScalars where scalar != "\u{200D}" {
          put(String(scalar), CellWidth.most(Character(scalar)), limit)
        }
      } else {
        put(String(character), cells, limit)
      }
    }
  }

  private mutating func put(_ text: String, _ cells: Int, _ limit: Int) {
    if rows[rows.count - 1].cells + cells > limit { rows.append(Row()) }
    rows[rows.count - 1].text += text
    rows[rows.count - 1].cells += cells
  }

  private mutating func showAround(maximumRows: Int) {
    guard rows.count > maximumRows else { return }
    let first = min(max(0, cursorRow - maximumRows / 2), rows.count - maximumRows)
    rows = Array(rows[first..<(first + maximumRows)])
    cursorRow -= first
  }

  /// A prompt that is too wide loses the middle of its first pieces, never its end.
  private static func clip(_ prompt: StyledText, to cells: Int) -> StyledText {
    if CellWidth.most(prompt.plain) <= cells { return prompt }
    var kept: [(String, TextRole)] = []
    var room = cells - 1
    for piece in prompt.pieces.reversed() {
      var text = ""
      for character in piece.text.reversed() {
        room -= CellWidth.most(character)
        if room < 0 { break }
        text.insert(character, at: text.startIndex)
      }
      kept.append((text, piece.role))
      if room < 0 { break }
    }
    var clipped = StyledText("\u{2026}", .quiet)
    for (text, role) in kept.reversed() { clipped.append(text, role) }
    return clipped
  }
}
