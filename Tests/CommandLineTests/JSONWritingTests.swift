import CommandLine
import Testing

/// Whether two texts are the same scalar by scalar; `==` would also take composed for decomposed.
func isExactly(_ one: String?, _ other: String) -> Bool {
  one.map { $0.unicodeScalars.elementsEqual(other.unicodeScalars) } ?? false
}

@Suite struct JSONWritingTests {
  @Test("an object is one line with its fields in the order they were set")
  func line() {
    var object: JSONObject = ["event": "ready", "port": 41234, "temporary": false]
    object["ref"] = nil
    object["tags"] = ["a", 1, 2.5, true, nil, [:], []]
    object["port"] = 1
    #expect(
      object.line
        == #"{"event":"ready","port":1,"temporary":false,"tags":["a",1,2.5,true,null,{},[]]}"#
        + "\n")
    object["port"] = nil
    #expect(object["port"] == nil)
    #expect(object.fields.map(\.name) == ["event", "temporary", "tags"])
  }

  @Test(
    "numbers are written as JSON has them",
    arguments: [
      (.integer(.min), "-9223372036854775808"), (.integer(.max), "9223372036854775807"),
      (.count(UInt64.max), "9223372036854775807"), (.count(7), "7"), (.double(0.1), "0.1"),
      (.double(-0.0), "-0.0"), (.double(1e300), "1e+300"),
      (.double(.leastNonzeroMagnitude), "5e-324"),
      (.double(.nan), "null"), (.double(.infinity), "null"), (.double(-.infinity), "null"),
    ] as [(JSONValue, String)])
  func numbers(value: JSONValue, text: String) {
    #expect(value.text == text)
  }

  @Test(
    "what is not plainly visible is escaped",
    arguments: [
      ("\"\\/", #""\"\\/""#), ("\n\r\t", #""\n\r\t""#),
      ("\u{0}\u{1B}\u{1F}", #""\u0000\u001B\u001F""#),
      ("\u{7F}\u{80}\u{9B}\u{9F}", #""\u007F\u0080\u009B\u009F""#),
      ("\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}", #""\u061C\u200E\u200F\u202A\u202E""#),
      ("\u{2066}\u{2069}\u{2028}\u{2029}", #""\u2066\u2069\u2028\u2029""#),
      ("\u{AD}\u{200B}\u{FEFF}\u{FFF9}\u{3164}", #""\u00AD\u200B\uFEFF\uFFF9\u3164""#),
      ("\u{E0041}\u{E000}\u{10FFFF}", #""\uDB40\uDC41\uE000\uDBFF\uDFFF""#),
      ("\u{FFFE}\u{378}", #""\uFFFE\u0378""#),
      ("héllo 日本 שלום", "\"héllo 日本 שלום\""), ("👍🏽", "\"👍🏽\""), ("👩\u{200D}🚀", #""👩\u200D🚀""#),
      ("e\u{301}", "\"e\u{301}\""),
    ])
  func escapes(text: String, json: String) {
    #expect(isExactly(JSONValue.string(text).text, json))
    // A field's name is treated alike.
    #expect(isExactly(JSONObject(dictionaryLiteral: (text, 1)).line, "{\(json):1}\n"))
  }

  @Test("any text comes back exactly, on a line without anything harmful")
  func anyText() throws {
    var random = TestRandom()
    for round in 0..<2000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<random.below(40) { text.append(random.scalar()) }
      let line = JSONValue.string(String(text)).text
      #expect(
        line.unicodeScalars.allSatisfy { HarmTests.isHarmless($0) || $0 == "\u{200D}" },
        "seed \(TestRandom.seed), round \(round)")
      let back = try JSONReader.parse(line).string
      #expect(isExactly(back, String(text)), "seed \(TestRandom.seed), round \(round)")
    }
  }

  @Test("any tree comes back the same")
  func anyTree() throws {
    var random = TestRandom()
    for round in 0..<500 {
      let tree = random.tree(depth: 4)
      #expect(try JSONReader.parse(tree.text) == tree, "seed \(TestRandom.seed), round \(round)")
    }
  }
}

extension TestRandom {
  /// A scalar of any plane, often one of those that do harm.
  mutating func scalar() -> Unicode.Scalar {
    let range: ClosedRange<UInt32> =
      switch below(8) {
      case 0: 0...0x1F
      case 1: 0x20...0x7E
      case 2: 0x7F...0x9F
      case 3: 0x300...0x36F
      case 4: 0x2000...0x206F
      case 5: 0x1F300...0x1F9FF
      case 6: 0xFE00...0xFFFF
      default: 0...0x10FFFF
      }
    return Unicode.Scalar(UInt32.random(in: range, using: &self)) ?? "\u{FFFD}"
  }

  mutating func tree(depth: Int) -> JSONValue {
    switch below(depth > 0 ? 8 : 6) {
    case 0: .null
    case 1: .bool(below(2) == 0)
    case 2: .integer(Int64(bitPattern: next()))
    case 3:
      .double(Double(bitPattern: next()).isFinite ? Double.random(in: -1...1, using: &self) : 0)
    case 4, 5: .string(String(String.UnicodeScalarView((0..<below(6)).map { _ in scalar() })))
    case 6: .array((0..<below(4)).map { _ in tree(depth: depth - 1) })
    default:
      .object(
        (0..<below(4)).reduce(into: JSONObject()) { object, place in
          object["field \(place)"] = tree(depth: depth - 1)
        })
    }
  }
}
