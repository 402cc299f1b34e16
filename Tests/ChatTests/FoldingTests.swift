import Testing
import Wire

@testable import Chat

@Suite("Folding")
struct FoldingTests {
  private func fold(_ lead: String, _ body: String, columns: Int?) -> [String] {
    StyledText.folded(
      lead: StyledText(lead, .quiet), body: StyledText(body), margin: "  | ", columns: columns
    ).map(\.plain)
  }

  @Test("rows break at spaces and go on behind the margin")
  func spaces() {
    #expect(
      fold("12:00 ", "one two three four five", columns: 20)
        == ["12:00 one two three", "  | four five"])
  }

  @Test("a word longer than a row is cut")
  func longWord() {
    #expect(fold("", "abcdefghijklmnopqrst", columns: 12) == ["abcdefghijkl", "  | mnopqrst"])
  }

  @Test("line breaks stay and never reach the left edge")
  func breaks() {
    #expect(fold("x ", "a\n\nb", columns: nil) == ["x a", "  | ", "  | b"])
  }

  @Test("wide characters are not cut in half", arguments: 12..<30)
  func wide(columns: Int) {
    let rows = fold("", String(repeating: "漢", count: 40), columns: columns)
    #expect(rows.allSatisfy { CellWidth.most($0) <= columns })
    #expect(rows.joined().filter { $0 == "漢" }.count == 40)
  }

  @Test("an emoji joined without end is taken apart")
  func joined() {
    let rows = fold("", String(repeating: "👩\u{200D}", count: 100), columns: 20)
    #expect(rows.allSatisfy { CellWidth.most($0) <= 20 })
  }

  @Test("a terminal of no width still gets rows", arguments: [0, 1, 2, 5])
  func narrow(columns: Int) {
    #expect(fold("12:00 ", "some text", columns: columns).count > 1)
  }

  @Test(
    "no row is wider than the terminal, and nothing but spaces is lost",
    arguments: 0..<300 as Range<UInt64>)
  func property(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let alphabet = ["a", "bb ", " ", "  ", "漢", "e\u{301}", "\n", "👨‍👩‍👧", "long", "❤\u{FE0F}"]
    let body = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
      alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
    }.joined()
    let columns = Int.random(in: 12...60, using: &generator)
    let rows = fold("12:00 ? ", body, columns: columns)
    for row in rows { #expect(CellWidth.most(row) <= columns, "seed \(seed): \(row)") }
    for row in rows.dropFirst() { #expect(row.hasPrefix("  | "), "seed \(seed)") }
    let kept = rows.enumerated().map {
      $0.offset == 0 ? $0.element.dropFirst(8) : $0.element.dropFirst(4)
    }
    .joined().filter { $0 != " " }
    #expect(kept == body.filter { $0 != " " && $0 != "\n" }, "seed \(seed)")
  }
}
