import Chat
import Testing

@testable import Terminal

/// A front end, what it asked for, and its terminal.
@MainActor
final class TerminalScene {
  let terminal: TestTerminal
  let front: TerminalFront
  var requests: [ChatRequest] = []
  var ends: [FrontEndEnd] = []
  var focuses = 0

  init(columns: Int = 40, rows: Int = 16) throws {
    terminal = try TestTerminal(columns: columns, rows: rows)
    front = try #require(
      TerminalFront(
        input: terminal.slave, output: terminal.slave, colors: true,
        environment: ["TERM": "xterm-256color"]))
    front.onRequest = { [weak self] in self?.requests.append($0) }
    front.onEnd = { [weak self] in self?.ends.append($0) }
    front.onFocus = { [weak self] in self?.focuses += 1 }
    front.start()
    front.show(.peers([.sample(.alice, "Alice"), .sample(.bob, "Bob")], ref: "known"))
  }

  var shown: [String] { terminal.screen.lines.filter { !$0.isEmpty } }

  /// Types, and waits until the last row that is shown is `line`.
  func type(_ text: String, until line: String) async throws {
    terminal.type(text)
    try await eventually("\(line) in \(shown)") { shown.last == line }
  }

  func end() throws {
    front.stop()
    #expect(terminal.screen.complaints == [])
    #expect(terminal.isCooked)
    terminal.closeAll()
  }
}
