import CommandLine
import Testing

/// What may never reach a terminal, said without the code under test.
enum HarmTests {
  static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE000...0xF8FF, 0xE0000...0x10FFFF:
      false
    default: true
    }
  }
}

@Suite struct DisplayTextTests {
  @Test(
    "what could harm a terminal or a reader is replaced one for one",
    arguments: [
      ("a\u{1B}[31mb", "a\u{FFFD}[31mb"), ("\u{9B}2J", "\u{FFFD}2J"),
      ("\u{7}\u{7F}", "\u{FFFD}\u{FFFD}"),
      ("\u{202E}cod.exe", "\u{FFFD}cod.exe"), ("a\u{2066}b\u{2069}", "a\u{FFFD}b\u{FFFD}"),
      ("a\u{200B}b\u{FEFF}c\u{AD}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}"),
      ("a\u{2028}b\u{2029}c\u{85}d", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d"),
      ("\u{E000}\u{F0000}\u{378}\u{FFFF}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
      ("\u{3164}\u{115F}\u{34F}", "\u{FFFD}\u{FFFD}\u{FFFD}"), ("\u{B}\u{C}", "\u{FFFD}\u{FFFD}"),
      ("a\u{FE0F}b\u{FE00}", "a\u{FFFD}b\u{FFFD}"), ("a\u{200D}b", "a\u{FFFD}b"),
      ("a\u{E0067}", "a\u{FFFD}"),
    ])
  func replaced(text: String, shown: String) {
    #expect(isExactly(DisplayText(text).description, shown))
  }

  @Test(
    "plain text of any script, emoji and spelling joiners stay as they are",
    arguments: [
      "hello", "naïve café", "日本語", "שלום", "नमस्ते", "a\u{A0}b", "e\u{301}", "\u{6DD}",
      "👍🏽", "👩\u{200D}🚀", "👨\u{200D}👩\u{200D}👧\u{200D}👦", "❤\u{FE0F}", "❤\u{FE0F}\u{200D}🔥",
      "✈\u{FE0E}",
      "1\u{FE0F}\u{20E3}", "🇩🇪", "🏳\u{FE0F}\u{200D}🌈",
      "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
      // Persian and Hindi words that are misspelled without their joiners.
      "می\u{200C}خواهم", "क्\u{200D}ष", "क्\u{200C}ष",
    ])
  func kept(text: String) {
    #expect(isExactly(DisplayText(text).description, text))
  }

  @Test("a flag of other tags, a joiner too many and a lone selector do not pass")
  func emojiBounds() {
    let hidden = "🏴\u{E0068}\u{E0069}\u{E007F}"
    #expect(isExactly(DisplayText(hidden).description, "🏴\u{FFFD}\u{FFFD}\u{FFFD}"))
    let chain = "👩" + String(repeating: "\u{200D}👩", count: 50)
    let joiners = DisplayText(chain).description.unicodeScalars.filter { $0 == "\u{200D}" }
    // Every fifth is replaced, and the next emoji begins anew.
    #expect(joiners.count == 40)
    #expect(isExactly(DisplayText("\u{FE0F}\u{200D}").description, "\u{FFFD}\u{FFFD}"))
    #expect(isExactly(DisplayText("👩\u{200D}").description, "👩\u{FFFD}"))
    #expect(isExactly(DisplayText("👩\u{200D}\u{200D}👩").description, "👩\u{FFFD}\u{FFFD}👩"))
    #expect(isExactly(DisplayText("1\u{FE0F}").description, "1\u{FFFD}"))
    #expect(isExactly(DisplayText("❤\u{FE0F}\u{FE0F}").description, "❤\u{FE0F}\u{FFFD}"))
  }

  @Test("marks beyond a few are one replacement, and marks with nothing under them get a circle")
  func marks() {
    let maximum = DisplayText.maximumMarks
    let few = "a" + String(repeating: "\u{301}", count: maximum)
    let many = "a" + String(repeating: "\u{301}", count: 1000) + "b"
    #expect(isExactly(DisplayText(few).description, few))
    #expect(isExactly(DisplayText(many).description, few + "\u{FFFD}b"))
    #expect(isExactly(DisplayText("\u{301}a").description, "\u{25CC}\u{301}a"))
    #expect(isExactly(DisplayText("\u{1B}\u{301}").description, "\u{FFFD}\u{25CC}\u{301}"))
    #expect(isExactly(DisplayText(" \u{20DD}").description, " \u{25CC}\u{20DD}"))
    #expect(DisplayText("x" + String(repeating: "\u{1161}", count: 99)).columns == 2)
  }

  @Test("line breaks are shown, or kept for lines of their own")
  func lineBreaks() {
    #expect(DisplayText("a\nb\r\nc\rd").description == "a↵b↵c↵d")
    #expect(DisplayText("a\nb\r\n\r", lineBreaks: .kept).lines == ["a", "b", "", ""])
    #expect(DisplayText("", lineBreaks: .kept).lines == [""])
    #expect(DisplayText("a\n\u{301}", lineBreaks: .kept).lines == ["a", "\u{25CC}\u{301}"])
  }

  @Test("tabulators become spaces up to the next stop")
  func tabs() {
    #expect(DisplayText("\ta\tbcd\t日\te").description == "    a   bcd 日  e")
    #expect(DisplayText("a\n\tb", lineBreaks: .kept).lines == ["a", "    b"])
  }

  @Test(
    "a name is one line without white space at its ends",
    arguments: [
      ("  Anna \t Lee\n", "Anna Lee"), ("\u{3000}Anna\u{A0}\u{2003}Lee\u{2800}", "Anna Lee"),
      ("", ""), (" \u{2800}", ""),
    ])
  func names(name: String, shown: String) {
    #expect(DisplayText(name: name).description == shown)
  }

  @Test(
    "columns are those of a terminal",
    arguments: [
      ("", 0), ("abc", 3), ("日本", 4), ("é", 1), ("e\u{301}", 1), ("ﾊﾝ", 2), ("Ａ", 2), ("👍", 2),
      ("👍🏽", 2), ("👩\u{200D}🚀", 2), ("❤\u{FE0F}", 2), ("🇩🇪", 2), ("각", 2),
      ("\u{1100}\u{1161}\u{11A8}", 2),
      ("क्ष", 2), ("\u{FFFD}", 1), ("↵", 1),
    ])
  func columns(text: String, columns: Int) {
    #expect(DisplayText(text).columns == columns)
  }

  @Test(
    "a text too long ends in an ellipsis within the columns",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
      ("日本語", 4, "日…"), ("日本語", 1, "…"), ("abc", 0, ""), ("", 0, ""),
      ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
      ("👩\u{200D}🚀👩\u{200D}🚀", 3, "👩\u{200D}🚀…"),
    ])
  func truncated(text: String, limit: Int, shown: String) {
    #expect(isExactly(DisplayText(text).truncated(toColumns: limit).description, shown))
    #expect(DisplayText(text).truncated(toColumns: limit).columns <= limit)
    #expect(DisplayText(DisplayText(text).padded(toColumns: limit)).columns == limit)
  }

  @Test("nothing but what is harmless comes out of any text")
  func anyText() {
    var random = TestRandom()
    for round in 0..<3000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<random.below(30) { scalars.append(random.scalar()) }
      for breaks in [DisplayText.LineBreaks.shown, .kept] {
        let shown = DisplayText(String(scalars), lineBreaks: breaks)
        let harmless = shown.description.unicodeScalars.allSatisfy {
          HarmTests.isHarmless($0) || "\u{200C}\u{200D}".unicodeScalars.contains($0)
            || breaks == .kept && $0 == "\n"
        }
        #expect(harmless, "seed \(TestRandom.seed), round \(round)")
        // What is harmless already stays as it is.
        let again = DisplayText(shown.description, lineBreaks: breaks)
        #expect(isExactly(again.description, shown.description), "round \(round)")
      }
    }
  }
}
