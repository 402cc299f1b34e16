internal import CommandLine

/// How wide characters may be on a terminal.
public enum CellWidth {
  /// The most cells that terminals give a character.
  ///
  /// They differ: a joined emoji is one picture here and several there, and U+FE0F makes a narrow
  /// sign wide or does not. Counting the most keeps a row from running past the edge, where the
  /// terminal would begin another by itself.
  public static func most(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii >= 0x20 && ascii < 0x7F ? 1 : 0 }
    var sum = 0
    for scalar in character.unicodeScalars {
      sum += scalar == "\u{FE0F}" ? 1 : DisplayWidth.columns(String(scalar))
    }
    return sum
  }

  public static func most(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + most($1) } }
}

extension StyledText {
  /// Folds `lead` and `body` into rows of at most `columns` cells.
  ///
  /// Every row but the first begins with `margin`, also after a line break inside `body`: only what
  /// the program itself says can begin a row, whatever others write. Folds at spaces where a row
  /// has one in its last two thirds. Without `columns` only line breaks make rows.
  static func folded(
    lead: StyledText, body: StyledText, margin: String, columns: Int?
  ) -> [StyledText] {
    var folder = Folder(
      margin: margin, columns: columns.map { max($0, CellWidth.most(margin) + 2) })
    for piece in (lead + body).pieces {
      for character in piece.text { folder.add(character, piece.role) }
    }
    return folder.finish()
  }
}

/// Puts characters into rows.
private struct Folder {
  let margin: String
  let columns: Int?
  private var rows: [StyledText] = []
  private var row: [(character: Character, role: TextRole, cells: Int)] = []
  private var cells = 0
  /// Whether the row began at a line break of the text: its spaces are the writer's.
  private var isAfterBreak = false

  init(margin: String, columns: Int?) {
    self.margin = margin
    self.columns = columns
  }

  private var rowStart: Int { rows.isEmpty ? 0 : CellWidth.most(margin) }

  mutating func add(_ character: Character, _ role: TextRole) {
    if character.isNewline {
      close(before: row.count)
      isAfterBreak = true
      return
    }
    let size = CellWidth.most(character)
    if let columns, size > columns - CellWidth.most(margin) {
      // Any number of emoji can be joined into one character, longer than a row: take it apart.
      for scalar in character.unicodeScalars where scalar != "\u{200D}" {
        add(Character(scalar), role)
      }
      return
    }
    // More than once: what is carried over stands behind the margin, where less fits.
    while let columns, !row.isEmpty, rowStart + cells + size > columns { fold(columns) }
    if row.isEmpty, !rows.isEmpty, character == " ", !isAfterBreak { return }
    row.append((character, role, size))
    cells += size
  }

  /// Ends a row that is full, at its last space or where it is.
  private mutating func fold(_ columns: Int) {
    let usable = columns - rowStart
    let space = row.lastIndex { $0.character == " " }
    // A space in the first third would leave most of the row empty.
    let isLateEnough =
      space.map { row[..<$0].reduce(0) { $0 + $1.cells } > usable / 3 } ?? false
    close(before: isLateEnough ? (space ?? row.count) : row.count)
    if row.first?.character == " " { cells -= row.removeFirst().cells }
    isAfterBreak = false
  }

  mutating func finish() -> [StyledText] {
    close(before: row.count)
    return rows
  }

  private mutating func close(before end: Int) {
    var text = rows.isEmpty ? StyledText() : StyledText(margin, .quiet)
    for item in row[..<end] { text.append(String(item.character), item.role) }
    rows.append(text)
    row.removeSubrange(..<end)
    cells = row.reduce(0) { $0 + $1.cells }
  }
}
