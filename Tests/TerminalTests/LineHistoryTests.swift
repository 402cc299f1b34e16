import Testing

@testable import Terminal

@Suite("Line history")
struct LineHistoryTests {
  @Test("older and newer lines come back, and the draft at the end")
  func recall() {
    var history = LineHistory()
    history.add("one")
    history.add("two")
    #expect(history.older(than: "draft") == "two")
    #expect(history.older(than: "two") == "one")
    #expect(history.older(than: "one") == nil)
    #expect(history.newer() == "two")
    #expect(history.newer() == "draft")
    #expect(history.newer() == nil)
  }

  @Test("the same line twice and an empty one are kept once and not at all")
  func repeats() {
    var history = LineHistory()
    for line in ["a", "a", "", "b"] { history.add(line) }
    #expect(history.older(than: "") == "b")
    #expect(history.older(than: "") == "a")
    #expect(history.older(than: "") == nil)
  }

  @Test("a search goes back through the lines that contain what was typed")
  func search() {
    var history = LineHistory()
    for line in ["/to Bob", "hello", "/to Alice", "bye"] { history.add(line) }
    #expect(history.search(for: "/to") == "/to Alice")
    #expect(history.search(for: "/to Alice") == "/to Bob")
    #expect(history.search(for: "/to Bob") == nil)
    history.endSearch()
    #expect(history.newer() == "hello")
    #expect(history.newer() == "/to Alice")
    #expect(history.newer() == "bye")
    #expect(history.newer() == "/to")
  }

  @Test("the history stays bounded, the oldest goes")
  func bounded() {
    var history = LineHistory()
    for number in 0..<(LineHistory.capacity + 7) { history.add("\(number)") }
    var count = 0
    var last: String?
    while let line = history.older(than: "") {
      count += 1
      last = line
    }
    #expect(count == LineHistory.capacity)
    #expect(last == "7")
  }
}
