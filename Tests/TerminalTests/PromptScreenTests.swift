import Chat
import Testing
import Wire

@testable import Terminal

@Suite("Prompt on the screen")
struct PromptScreenTests {
  /// A line being typed on an emulated terminal.
  private struct Stage {
    var emulator: ScreenEmulator
    var screen = PromptScreen()

    init(columns: Int = 20, rows: Int = 10) {
      emulator = ScreenEmulator(columns: columns, rows: rows)
    }

    mutating func draw(_ line: String, cursor: Int? = nil, prompt: String = "> ") {
      emulator.feed(
        screen.draw(
          LineLayout(
            prompt: StyledText(prompt, .own), line: line,
            cursor: cursor ?? line.unicodeScalars.count, columns: emulator.columns,
            maximumRows: emulator.rows / 2, colors: true)
        ).utf8)
    }

    mutating func say(_ text: String) {
      emulator.feed((screen.erase() + text + "\r\n").utf8)
    }

    var shown: [String] { emulator.lines.filter { !$0.isEmpty } }
  }

  @Test("a line that wraps is broken before the edge, never by the terminal")
  func wraps() {
    var stage = Stage()
    stage.draw("abcdefghijklmnopqrstuvwxyz")
    #expect(stage.shown == ["> abcdefghijklmnopq", "rstuvwxyz"])
    #expect(stage.emulator.wraps == 0)
    #expect((stage.emulator.row, stage.emulator.column) == (1, 9))
  }

  @Test(
    "the cursor stands where it is, whatever stands before it",
    arguments: [
      (0, 0, 2), (3, 0, 5), (17, 0, 19), (18, 1, 1), (26, 1, 9),
    ])
  func cursor(at place: Int, row: Int, column: Int) {
    var stage = Stage()
    stage.draw("abcdefghijklmnopqrstuvwxyz", cursor: place)
    #expect(stage.emulator.row == row)
    #expect(stage.emulator.column == column)
  }

  @Test("wide characters and combining marks are counted as they are shown")
  func wide() {
    var stage = Stage()
    stage.draw("漢字e\u{301}漢字漢字漢字漢字漢", cursor: 4)
    #expect(stage.shown.joined() == "> 漢字e\u{301}漢字漢字漢字漢字漢")
    #expect((stage.emulator.row, stage.emulator.column) == (0, 7))
    #expect(stage.emulator.wraps == 0)
  }

  @Test("what cannot be shown is drawn as a sign of one cell")
  func hostile() {
    var stage = Stage(columns: 60)
    stage.draw("a\u{1B}[2J\u{202E}b\u{9B}\u{0}c")
    #expect(stage.emulator.complaints == [])
    #expect(stage.shown == ["> a\u{FFFD}[2J\u{FFFD}b\u{FFFD}\u{FFFD}c"])
  }

  @Test(
    "a message leaves the typed line whole, with the cursor where it was",
    arguments: [
      0, 5, 17, 18, 30, 40,
    ])
  func message(cursor: Int) {
    var stage = Stage()
    let line = "abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    stage.draw(line, cursor: cursor)
    let before = (stage.emulator.row, stage.emulator.column)
    stage.say("message")
    stage.draw(line, cursor: cursor)
    #expect(
      stage.shown == ["message", "> abcdefghijklmnopq", "rstuvwxyz0123456789", "ABCD"])
    #expect(stage.emulator.row == before.0 + 1)
    #expect(stage.emulator.column == before.1)
  }

  @Test("a line taller than its share is shown around the cursor", arguments: [0, 300, 1_000])
  func tall(cursor: Int) {
    var stage = Stage()
    let line = String((0..<1_000).map { Character(String($0 % 10)) })
    stage.draw(line, cursor: cursor)
    #expect(stage.shown.count == 5)
    let before = String(line.prefix(cursor))
    let lastShown = stage.emulator.lines[stage.emulator.row].prefix(stage.emulator.column)
    #expect(("> " + before).hasSuffix(lastShown))
    stage.say("message")
    stage.draw(line, cursor: cursor)
    #expect(stage.shown.count == 6)
    #expect(stage.shown.first == "message")
  }

  @Test("leaving goes on below the line, erasing where it began")
  func leave() {
    var stage = Stage()
    stage.draw("abcdefghijklmnopqrstuvwxyz", cursor: 1)
    stage.emulator.feed((stage.screen.leave() + "next\r\n").utf8)
    #expect(stage.shown == ["> abcdefghijklmnopq", "rstuvwxyz", "next"])
  }

  @Test("a long prompt leaves room for the line")
  func longPrompt() {
    var stage = Stage()
    stage.draw("x", prompt: "A very long name [E492-6D25]> ")
    #expect(stage.shown == ["\u{2026}25]> x"])
  }

  @Test(
    "a width that shrinks or grows leaves nothing behind",
    arguments: [(40, 20), (20, 40), (40, 12), (30, 29)])
  func resize(from old: Int, to new: Int) {
    var stage = Stage(columns: old, rows: 20)
    let line = String(repeating: "abcdefghij", count: 7)
    stage.emulator.feed("before\r\n".utf8)
    stage.draw(line, cursor: 35)
    // A terminal that breaks rows anew shows what was drawn so:
    let reflowed = stage.emulator.lines.filter { !$0.isEmpty }.flatMap { row in
      stride(from: 0, to: row.count, by: new).map { String(row.dropFirst($0).prefix(new)) }
    }
    var emulator = ScreenEmulator(columns: new, rows: 20)
    emulator.feed(reflowed.joined(separator: "\r\n").utf8)
    // … with the cursor in the cell that it was in.
    let above = stage.emulator.lines[..<stage.emulator.row]
      .reduce(0) { $0 + max(1, ($1.count + new - 1) / new) }
    let target = (above + stage.emulator.column / new, stage.emulator.column % new)
    emulator.feed("\u{1B}[\(reflowed.count)A".utf8)
    emulator.feed(String(repeating: "\n", count: target.0).utf8)
    emulator.feed(
      stage.screen.erase(afterResizeTo: new, reflows: true).utf8)
    #expect(emulator.lines.filter { !$0.isEmpty } == ["before"])
    #expect(emulator.row == 1)
  }

  @Test(
    "any edits and messages leave the screen as if drawn at once",
    arguments: 0..<60 as Range<UInt64>)
  func property(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let alphabet = Array("abc 漢字é\n👩").map(String.init)
    var stage = Stage(columns: Int.random(in: 10...40, using: &generator), rows: 12)
    var line: [String] = []
    var messages: [String] = []
    for step in 0..<40 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: line = []
      case 1:
        messages.append("m\(step)")
        stage.say("m\(step)")
      case 2: line = line.dropLast(Int.random(in: 0...line.count, using: &generator))
      default:
        line += (0..<Int.random(in: 1..<25, using: &generator)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        }
      }
      let text = line.joined()
      let cursor = Int.random(in: 0...text.unicodeScalars.count, using: &generator)
      stage.draw(text, cursor: cursor)

      var fresh = Stage(columns: stage.emulator.columns, rows: 12)
      fresh.draw(text, cursor: cursor)
      let drawn = fresh.emulator.lines.lastIndex { !$0.isEmpty } ?? 0
      let expected = messages + fresh.emulator.lines[...drawn]
      var transcript = stage.emulator.transcript
      while transcript.last == "" { transcript.removeLast() }
      var trimmed = expected
      while trimmed.last == "" { trimmed.removeLast() }
      #expect(transcript == trimmed, "seed \(seed), step \(step)")
      #expect(stage.emulator.column == fresh.emulator.column, "seed \(seed), step \(step)")
      #expect(
        stage.emulator.scrolledOff.count + stage.emulator.row
          == messages.count + fresh.emulator.row, "seed \(seed), step \(step)")
    }
    #expect(stage.emulator.complaints == [])
    #expect(stage.emulator.wraps == 0)
  }
}
