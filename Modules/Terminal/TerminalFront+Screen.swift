internal import Chat
internal import EventLoop

extension TerminalFront {
  /// Prints entries above the line being typed.
  func say(_ entries: [TranscriptEntry]) {
    if outlet.waiting > behindAbove {
      lost += entries.count
      return
    }
    if entries.isEmpty { return draw() }
    var text = screen.erase()
    for entry in entries {
      for row in entry.rows(columns: max(LineLayout.narrowest, size.columns - 1)) {
        text += row.rendered(colors: colors) + "\r\n"
      }
    }
    outlet.write(text + drawing())
  }

  /// Draws prompt and line as they are now.
  func draw() {
    if outlet.waiting <= behindAbove { outlet.write(drawing()) }
  }

  func ring() { outlet.write("\u{7}") }

  /// What brings the screen up to date; nothing while another program has the terminal.
  private func drawing() -> String {
    guard !isSuspended, !isOver, let line = editor?.line else { return "" }
    return screen.draw(
      LineLayout(
        prompt: session.prompt, line: line.text, cursor: line.cursor, columns: size.columns,
        maximumRows: size.rows / 2, colors: colors))
  }

  /// The terminal takes bytes again.
  func catchUp() {
    guard outlet.waiting < caughtUpBelow else { return }
    defer { onRoom() }
    if lost > 0 {
      let count = lost
      lost = 0
      notice("\(count) lines are missing here: the terminal did not take them")
    } else {
      draw()
    }
  }

  func resize() {
    let before = size
    size = TerminalSize(of: output)
    if size == before || isSuspended { return }
    outlet.write(screen.erase(afterResizeTo: size.columns, reflows: reflows) + drawing())
  }

  func clearScreen() {
    screen.forget()
    outlet.write("\u{1B}[H\u{1B}[2J" + drawing())
  }

  /// Rings every three seconds for as long as a call does.
  func setRinging(_ isRinging: Bool) {
    if isRinging == (bell != nil) { return }
    if let bell { EventLoop.main.cancel(bell) }
    bell = nil
    if isRinging { ringOn() }
  }

  private func ringOn() {
    ring()
    bell = EventLoop.main.after(.seconds(3)) { [weak self] in self?.ringOn() }
  }
}
