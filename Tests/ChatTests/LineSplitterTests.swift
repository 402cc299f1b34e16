import Chat
import Testing
import Wire

@Suite("Line splitter")
struct LineSplitterTests {
  private func split(_ bytes: [UInt8], slices: Int = .max) -> [LineSplitter.Line] {
    var splitter = LineSplitter()
    var lines: [LineSplitter.Line] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      splitter.append(rest.prefix(slices)) { lines.append($0) }
      rest = rest.dropFirst(slices)
    }
    if let last = splitter.finish() { lines.append(last) }
    return lines
  }

  @Test("lines come without their ends, whatever the slices", arguments: [1, 2, 3, 7, 1_000])
  func slices(size: Int) {
    let lines = split(Array("one\ntwo\r\n\nfour".utf8), slices: size)
    #expect(lines == [.text("one"), .text("two"), .text(""), .text("four")])
  }

  @Test("a CR inside a line, and a NUL, stay")
  func controls() {
    #expect(split(Array("a\rb\u{0}c\n".utf8)) == [.text("a\rb\u{0}c")])
  }

  @Test("a line that is not UTF-8 is told and skipped")
  func notUTF8() {
    #expect(split([0x61, 0xFF, 0x0A, 0x62, 0x0A]) == [.notUTF8, .text("b")])
    #expect(split([0xE6, 0xBC]) == [.notUTF8])
  }

  @Test("64 KiB are a line and one byte more is not", arguments: [1, 1_000, 1 << 20])
  func bound(slice: Int) {
    let limit = LineSplitter.maximumLength
    let fits = [UInt8](repeating: 0x61, count: limit)
    let after = Array("\nnext\n".utf8)
    let whole = LineSplitter.Line.text(String(repeating: "a", count: limit))
    #expect(split(fits + after, slices: slice) == [whole, .text("next")])
    #expect(split(fits + [0x0D] + after, slices: slice) == [whole, .text("next")])
    #expect(split(fits + [0x61] + after, slices: slice) == [.tooLong, .text("next")])
    #expect(split(fits + fits + fits, slices: slice) == [.tooLong])
  }

  @Test("a too long line is told when the bound is passed, not at its end")
  func toldEarly() {
    var splitter = LineSplitter()
    var lines: [LineSplitter.Line] = []
    splitter.append([UInt8](repeating: 0x61, count: 70_000)) { lines.append($0) }
    #expect(lines == [.tooLong])
    splitter.append([UInt8](repeating: 0x61, count: 700_000)) { lines.append($0) }
    #expect(lines == [.tooLong])
    #expect(splitter.finish() == nil)
  }

  @Test("random bytes in random slices give the same lines", arguments: 0..<200 as Range<UInt64>)
  func random(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let choices: [UInt8] = [0x0A, 0x0D, 0x61, 0xC3, 0xA9, 0x00, 0xFF]
    let bytes = (0..<500).map { _ in choices[Int.random(in: 0..<7, using: &generator)] }
    var splitter = LineSplitter()
    var lines: [LineSplitter.Line] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let size = Int.random(in: 1...40, using: &generator)
      splitter.append(rest.prefix(size)) { lines.append($0) }
      rest = rest.dropFirst(size)
    }
    if let last = splitter.finish() { lines.append(last) }
    #expect(lines == split(bytes), "seed \(seed)")
  }
}
