import Testing
import Wire

@testable import Terminal

@Suite("Key decoder")
struct KeyDecoderTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.feed(text.utf8)
  }

  @Test(
    "keys of the usual terminals",
    arguments: [
      ("abc", [.text("abc")]), ("é漢👩", [.text("é漢👩")]), ("\r", [.enter]), ("\n", [.enter]),
      ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]), ("\u{3}", [.control("C")]),
      ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
      ("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
      ("\u{1B}[1;5C\u{1B}[1;3D", [.wordRight, .wordLeft]), ("\u{1B}[1;2C", [.right]),
      ("\u{1B}[H\u{1B}[F\u{1B}OH\u{1B}OF", [.home, .end, .home, .end]),
      ("\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~", [.home, .end, .home, .end]),
      ("\u{1B}[3~", [.delete]), ("\u{1B}OM", [.enter]),
      ("\u{1B}b\u{1B}\u{7F}", [.meta("b"), .meta("\u{7F}")]),
      ("\u{1B}[I\u{1B}[O", [.focusIn, .focusOut]), ("a\u{1B}[Db", [.text("a"), .left, .text("b")]),
      ("\u{1B}\u{1B}[A", [.up]),
    ] as [(String, [Key])])
  func known(bytes: String, expected: [Key]) {
    #expect(keys(bytes) == expected)
  }

  @Test(
    "what is not known leaves nothing behind",
    arguments: [
      "\u{1B}[99~", "\u{1B}[?1;2c", "\u{1B}[<0;10;10M", "\u{1B}[5~", "\u{1B}]0;title\u{7}",
      "\u{1B}]11;rgb:0/0/0\u{1B}\\", "\u{1B}P+r\u{1B}\\", "\u{1B}_x\u{1B}\\", "\u{1B}[I1;1R",
      "\u{1B}[" + String(repeating: "1;", count: 5_000) + "m", "\u{1B}[201~", "\u{1B}OZ",
      "\u{85}\u{9B}", "\u{1B}[Z",
    ])
  func unknown(bytes: String) {
    let found = keys(bytes + "x").filter { $0 != .focusIn }
    #expect(found == [.text("x")] || found == [.text("1;1Rx")])
  }

  @Test("bytes that are no UTF-8 are dropped, and what follows them is not")
  func invalid() {
    var decoder = KeyDecoder()
    #expect(
      decoder.feed([0xFF, 0x61, 0xC3, 0x62, 0xE6, 0xBC, 0x63, 0xC0, 0x80, 0x64]) == [.text("abcd")])
    #expect(decoder.feed([0xED, 0xA0, 0x80, 0x65]) == [.text("e")])
  }

  @Test("a paste is one text, its line ends at its end left out")
  func paste() {
    #expect(
      keys("\u{1B}[200~one\r\ntwo\rthree\n\n\u{1B}[201~x") == [
        .paste("one\ntwo\nthree", isCut: false), .text("x"),
      ])
    #expect(keys("\u{1B}[200~\n\u{1B}[201~") == [])
  }

  @Test("no control character gets out of a paste, a tab aside")
  func hostilePaste() {
    let text = "a\u{1B}[31mb\u{7}\u{0}\u{9B}c\td\u{85}e\u{2028}f\u{3}"
    #expect(
      keys("\u{1B}[200~\(text)\u{1B}[201~") == [.paste("a[31mbc\td\ne\nf", isCut: false)])
  }

  @Test("a long paste is cut, and its end still found")
  func longPaste() {
    let text = String(repeating: "x", count: KeyDecoder.maximumPaste * 2)
    let found = keys("\u{1B}[200~\(text)\u{1B}[201~y")
    guard case .paste(let pasted, isCut: true)? = found.first else {
      Issue.record("no cut paste")
      return
    }
    #expect(pasted.utf8.count <= KeyDecoder.maximumPaste)
    #expect(found.last == .text("y"))
  }

  @Test("a bare Escape and a paste without an end are given up")
  func givenUp() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.giveUp() == [])
    #expect(!decoder.isWaiting)
    #expect(decoder.feed("\u{1B}[200~half".utf8) == [])
    #expect(decoder.isPasting)
    #expect(decoder.giveUp() == [.paste("half", isCut: false)])
    #expect(decoder.feed("x".utf8) == [.text("x")])
  }

  @Test("slices do not matter, and nothing traps", arguments: 0..<300 as Range<UInt64>)
  func slices(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let parts: [[UInt8]] = [
      [0x1B], Array("[".utf8), Array("200~".utf8), Array("\u{1B}[201~".utf8), [0x41], [0xC3],
      [0xA9], [0x0D], [0x00], [0x7F], Array("1;5C".utf8), [0x9B], [0xFF], Array("漢".utf8), [0x5D],
      [0x07], [0x4F],
    ]
    let bytes = (0..<120).flatMap { _ in
      parts[Int.random(in: 0..<parts.count, using: &generator)]
    }
    var whole = KeyDecoder()
    var sliced = KeyDecoder()
    var all: [Key] = []
    for byte in bytes { all += sliced.feed([byte]) }
    func characters(_ keys: [Key]) -> [Key] {
      keys.flatMap { key -> [Key] in
        guard case .text(let text) = key else { return [key] }
        return text.unicodeScalars.map { .text(String($0)) }
      }
    }
    #expect(
      characters(whole.feed(bytes) + whole.giveUp()) == characters(all + sliced.giveUp()),
      "seed \(seed)")
  }
}
