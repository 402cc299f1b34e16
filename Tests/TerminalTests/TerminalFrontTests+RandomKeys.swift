import Chat
import Testing
import Wire

@testable import Terminal

// In the suite of the terminal, whose tests run one after the other: a process has one terminal.
extension TerminalFrontTests {
  @Test(
    "any keys and events leave the terminal with plain characters",
    arguments: 0..<12 as Range<UInt64>)
  func random(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let scene = try TerminalScene(columns: Int.random(in: 9...70, using: &generator), rows: 12)
    let keys =
      [
        "a", "word ", "漢", "e\u{301}", "👩\u{200D}👩", "\r", "\t", "/to ", "\u{7F}", "\u{1B}[D",
        "\u{1B}[C",
      ]
      + [
        "\u{1B}[A", "\u{1B}[B", "\u{1B}b", "\u{1B}f", "\u{1B}d", "\u{1B}u", "\u{1B}[3~",
        "\u{1B}\u{7F}",
      ]
      + (1..<27).filter { ![3, 4, 26].contains($0) }.map {
        String(Character(Unicode.Scalar(UInt8($0))))
      }
      + [
        "\u{1B}[200~p\n\u{1B}[31mq\u{1B}[201~", "\u{1B}[I", "\u{1B}[9;9~",
        String(repeating: "long", count: 40),
      ]
    for step in 0..<60 {
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        scene.terminal.type(keys[Int.random(in: 0..<keys.count, using: &generator)])
      }
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: scene.front.show(.text("\u{1B}[2J\n漢\u{202E}\u{301} \(step)"))
      case 1: scene.front.notice("notice \(step)")
      default: break
      }
      try await Task.sleep(for: .milliseconds(1))
    }
    // Said until it stays: a ^L that is still on its way takes it off the screen again.
    try await eventually("seed \(seed)") {
      scene.front.notice("end")
      return scene.terminal.screen.transcript.contains { $0.hasSuffix(" end") }
    }
    #expect(scene.terminal.screen.complaints == [], "seed \(seed)")
    #expect(scene.terminal.screen.wraps == 0, "seed \(seed)")
    try scene.end()
  }
}
