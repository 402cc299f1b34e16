internal import Chat
internal import EventLoop
internal import Glibc

extension TerminalFront {
  /// How long an Escape may stand alone before it is a key, and how long a paste may pause.
  private static let escapePause = Duration.milliseconds(100)
  private static let pastePause = Duration.seconds(1)

  func take(_ bytes: ArraySlice<UInt8>) {
    feeds += 1
    for key in decoder.feed(bytes) where !isOver { press(key) }
    if isOver { return }
    draw()
    guard decoder.isWaiting else { return }
    let fed = feeds
    let pause = decoder.isPasting ? Self.pastePause : Self.escapePause
    EventLoop.main.after(pause) { [weak self] in
      guard let self, self.feeds == fed, !self.isOver else { return }
      for key in self.decoder.giveUp() { self.press(key) }
      self.draw()
    }
  }

  private func press(_ key: Key) {
    guard let editor else { return }
    if key != .control("C") { wasInterrupted = false }
    if key != .control("R") { history.endSearch() }
    switch key {
    case .text(let text): if !editor.insert(text) { ring() }
    case .paste(let text, let isCut): paste(text, isCut: isCut)
    case .enter: enter()
    case .tab: complete()
    case .backspace: editor.deleteBackward(lengthBeforeCursor)
    case .delete: deleteForward()
    case .left: editor.move(-lengthBeforeCursor)
    case .right: editor.move(lengthAfterCursor)
    case .up: recall { $0.older(than: editor.line.text) }
    case .down: recall { $0.newer() }
    case .wordLeft: editor.move(-wordBeforeCursor)
    case .wordRight: editor.move(wordAfterCursor)
    case .home: editor.perform(control: "A")
    case .end: editor.perform(control: "E")
    case .control(let letter): press(control: letter)
    case .meta(let letter): press(meta: letter)
    case .focusIn: onFocus()
    case .focusOut: break
    }
  }

  private func press(control letter: Character) {
    guard let editor else { return }
    switch letter {
    case "C": interrupt()
    case "D": if editor.line.text.isEmpty { end(.endOfInput) } else { deleteForward() }
    case "B": editor.move(-lengthBeforeCursor)
    case "F": editor.move(lengthAfterCursor)
    case "P": recall { $0.older(than: editor.line.text) }
    case "N": recall { $0.newer() }
    case "R": recall { $0.search(for: editor.line.text) }
    case "L": clearScreen()
    case "Z": kill(0, SIGTSTP)
    // What libedit does without reading further keys, which are not there yet.
    case "A", "E", "K", "T", "U", "W", "Y": editor.perform(control: letter)
    default: ring()
    }
  }

  private func press(meta letter: Character) {
    switch letter {
    case "b": editor?.move(-wordBeforeCursor)
    case "f": editor?.move(wordAfterCursor)
    case "c", "d", "l", "u", "\u{7F}": editor?.perform(meta: letter)
    default: ring()
    }
  }

  private var beforeCursor: String {
    guard let line = editor?.line else { return "" }
    return String(String.UnicodeScalarView(line.text.unicodeScalars.prefix(line.cursor)))
  }

  private var afterCursor: String {
    guard let line = editor?.line else { return "" }
    return String(String.UnicodeScalarView(line.text.unicodeScalars.dropFirst(line.cursor)))
  }

  /// What a reader sees as one character may be several scalars: they go together.
  private var lengthBeforeCursor: Int { beforeCursor.last?.unicodeScalars.count ?? 0 }
  private var lengthAfterCursor: Int { afterCursor.first?.unicodeScalars.count ?? 0 }

  /// Scalars back to the beginning of a word: libedit's own motion stops at combining marks.
  private var wordBeforeCursor: Int { Self.lengthOfWord(beforeCursor.reversed()) }
  private var wordAfterCursor: Int { Self.lengthOfWord(Array(afterCursor)) }

  private static func lengthOfWord(_ text: [Character]) -> Int {
    func isOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    let start = text.firstIndex(where: isOfWord) ?? text.endIndex
    let end = text[start...].firstIndex { !isOfWord($0) } ?? text.endIndex
    return text[..<end].reduce(0) { $0 + $1.unicodeScalars.count }
  }

  private func deleteForward() {
    let count = lengthAfterCursor
    editor?.move(count)
    editor?.deleteBackward(count)
  }

  private func recall(_ line: (inout LineHistory) -> String?) {
    if let line = line(&history) { editor?.replace(with: line) } else { ring() }
  }

  private func interrupt() {
    guard let editor else { return }
    if editor.line.text.isEmpty {
      if !wasInterrupted { notice("/quit leaves, and so does ^D") }
      wasInterrupted = true
    } else {
      editor.replace(with: "")
    }
  }

  /// A pasted text is put into the line, rows and all, and goes nowhere until Enter is pressed.
  private func paste(_ text: String, isCut: Bool) {
    if editor?.insert(text) != true {
      ring()
      notice("the pasted text is too long for one message and was left out")
    } else if isCut {
      notice("the pasted text was cut: it is far longer than a message may be")
    }
  }

  private func enter() {
    guard let editor else { return }
    let text = editor.line.text
    history.add(text)
    // A command stays where it was typed; a text comes back with its state.
    if case .text = EnteredLine(text) {
      outlet.write(screen.erase())
    } else {
      draw()
      outlet.write(screen.leave())
    }
    editor.replace(with: "")
    for reaction in session.enter(text, at: .now()) where !isOver {
      switch reaction {
      case .request(let request): onRequest(request)
      case .say(let entry): say([entry])
      }
    }
  }

  private func complete() {
    guard let editor else { return }
    let line = editor.line
    let typed = String(String.UnicodeScalarView(line.text.unicodeScalars.prefix(line.cursor)))
    let completion = session.completion(of: typed)
    let common = completion.commonBeginning
    let replaced = String(typed.suffix(completion.replacing))
    guard !completion.candidates.isEmpty else { return ring() }
    // A name is filled in as its owner writes it, whatever case was typed.
    if common.count > replaced.count || completion.candidates.count == 1 {
      editor.deleteBackward(replaced.unicodeScalars.count)
      _ = editor.insert(common)
    } else {
      ring()
      let shown = completion.candidates.prefix(Self.maximumShown).map(\.shown)
      let rest = completion.candidates.count - shown.count
      notice(shown.joined(separator: "   ") + (rest > 0 ? "   and \(rest) more" : ""))
    }
  }

  /// Candidates listed at once.
  private static let maximumShown = 30
}
