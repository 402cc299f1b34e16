/// What of prompt and line is on the screen, and the bytes that change it.
///
/// Uses five sequences of ECMA-48 that every terminal but a dumb one knows: cursor up, erase to the
/// end of the row and of the screen, carriage return, line feed; never more.
struct PromptScreen: Sendable {
  /// What is drawn; nil when the cursor stands at the beginning of an empty row.
  private var drawn: LineLayout?

  private static let eraseRow = "\u{1B}[K"
  private static let eraseBelow = "\u{1B}[J"

  /// Draws a layout in place of the one that is there.
  mutating func draw(_ layout: LineLayout) -> String {
    if layout == drawn { return "" }
    let old = drawn?.rows ?? []
    var output = toTop()
    // Rows that stay as they are are passed over, but for the last, where drawing must end.
    let kept = min(
      zip(old, layout.rows).prefix { $0 == $1 }.count, layout.rows.count - 1)
    output += String(repeating: "\r\n", count: kept)
    for (place, row) in layout.rows.enumerated().dropFirst(kept) {
      output += row.text + Self.eraseRow
      if place < layout.rows.count - 1 { output += "\r\n" }
    }
    if old.count > layout.rows.count { output += "\r\n\(Self.eraseBelow)\u{1B}[A" }
    let below = layout.rows.count - 1 - layout.cursorRow
    let isAtEnd =
      below == 0 && old.count <= layout.rows.count
      && layout.beforeCursor == layout.rows[layout.cursorRow]
    if !isAtEnd {
      // Up, then the row again as far as the cursor: the terminal itself counts the columns.
      output += Self.up(below) + "\r" + layout.beforeCursor.text
    }
    drawn = layout
    return output
  }

  /// Takes the prompt away: the cursor stands where it began, and all below is empty.
  mutating func erase() -> String {
    guard drawn != nil else { return "" }
    defer { drawn = nil }
    return toTop() + Self.eraseBelow
  }

  /// Leaves what is drawn where it is and goes on below.
  mutating func leave() -> String {
    guard let drawn else { return "" }
    self.drawn = nil
    return String(repeating: "\r\n", count: drawn.rows.count - drawn.cursorRow)
  }

  /// Takes the prompt away after the terminal's width has changed; `reflows` when the terminal
  /// breaks rows anew that have become too long.
  mutating func erase(afterResizeTo columns: Int, reflows: Bool) -> String {
    guard let layout = drawn else { return "" }
    drawn = nil
    let width = max(1, columns)
    var rowsAbove = layout.cursorRow
    if reflows {
      rowsAbove =
        layout.rows[..<layout.cursorRow].reduce(0) { $0 + max(1, ($1.cells + width - 1) / width) }
        + layout.beforeCursor.cells / width
    }
    return Self.up(rowsAbove) + "\r" + Self.eraseBelow
  }

  /// Forgets what is drawn: the screen was cleared, or somebody else wrote on it.
  mutating func forget() { drawn = nil }

  private func toTop() -> String { Self.up(drawn?.cursorRow ?? 0) + "\r" }

  private static func up(_ rows: Int) -> String { rows > 0 ? "\u{1B}[\(rows)A" : "" }
}
