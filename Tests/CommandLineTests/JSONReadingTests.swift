import CommandLine
import Testing

@Suite struct JSONReadingTests {
  @Test("a command is read with its fields in order")
  func command() throws {
    let value = try JSONReader.parse(
      #" {"cmd":"send", "to":"7M2K-Q9XD","text":"h\u00e9 \ud83d\ude00","ref":null,"n":[1,-2.5e3,true]} "#
    )
    let object = try #require(value.object)
    #expect(object.fields.map(\.name) == ["cmd", "to", "text", "ref", "n"])
    #expect(object["text"]?.string == "hé 😀")
    #expect(object["ref"] == .null)
    #expect(object["n"] == [1, -2500.0, true])
    #expect(object["absent"] == nil)
  }

  @Test(
    "each kind of value answers for itself alone",
    arguments: ["null", "true", "7", "1.5", #""x""#, "[]", "{}"])
  func kinds(text: String) throws {
    let value = try JSONReader.parse(text)
    #expect((value.bool != nil) == (text == "true"))
    #expect((value.integer != nil) == (text == "7"))
    #expect((value.string != nil) == (text == #""x""#))
    #expect((value.array != nil) == (text == "[]"))
    #expect((value.object != nil) == (text == "{}"))
  }

  @Test("a null character in a text is kept")
  func null() throws {
    let text = try JSONReader.parse(#""a\u0000b""#).string
    #expect(isExactly(text, "a\u{0}b"))
  }

  @Test(
    "what is no JSON is refused",
    arguments: [
      "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "\"a", "\"\\x\"", "nul", "True",
      "01", "+1", "1.", ".5", "1e", "0x1", "NaN", "Infinity", "1 2", "{} {}", "[1}", "\"\t\"",
      "\"\n\"", "// a", "[1]//", "\u{FEFF}{}", "{\"a\" 1}", "{\"a\":}", "{1:2}", "\"\u{1}\"",
      // Integers past 64 bits, numbers past the largest double.
      "9223372036854775808", "-9223372036854775809", "1e999",
      // Lone and reversed surrogates, and a null character in a field's name.
      #""\ud800""#, #""\udc00""#, #""\udc00\ud800""#, #""\ud800x""#, #""\ud800\u0041""#,
      #""\u12""#, #"{"a\u0000b":1}"#,
      // The same field twice, at any depth and however spelled.
      #"{"a":1,"a":2}"#, #"[{"b":{"a":1,"\u0061":2}}]"#,
    ])
  func malformed(text: String) {
    #expect(throws: JSONError.self) { try JSONReader.parse(text) }
  }

  @Test(
    "bytes that are no UTF-8 are refused",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF],
    ] as [[UInt8]])
  func notUTF8(bytes: [UInt8]) {
    #expect(throws: JSONError.self) {
      try JSONReader.parse(Array("\"".utf8) + bytes + Array("\"".utf8))
    }
  }

  @Test("depth, length and number of values are bounded, the bounds themselves allowed")
  func bounds() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSONReader.parse(nested(JSONReader.maximumDepth))
    #expect(throws: JSONError.tooDeep(limit: JSONReader.maximumDepth)) {
      try JSONReader.parse(nested(JSONReader.maximumDepth + 1))
    }
    #expect(throws: JSONError.tooDeep(limit: JSONReader.maximumDepth)) {
      try JSONReader.parse(String(repeating: #"{"a":"#, count: 10_000))
    }

    func list(_ count: Int) -> String {
      "[" + Array(repeating: "0", count: count).joined(separator: ",") + "]"
    }
    // The list itself counts, and its first value comes without a comma.
    _ = try JSONReader.parse(list(JSONReader.maximumValues - 1))
    #expect(throws: JSONError.tooManyValues(limit: JSONReader.maximumValues)) {
      try JSONReader.parse(list(JSONReader.maximumValues))
    }

    let longest = "\"" + String(repeating: "a", count: JSONReader.maximumBytes - 2) + "\""
    #expect(try JSONReader.parse(longest).string?.count == JSONReader.maximumBytes - 2)
    #expect(
      throws: JSONError.tooLong(
        bytes: JSONReader.maximumBytes + 1, limit: JSONReader.maximumBytes)
    ) {
      try JSONReader.parse(longest + " ")
    }
  }

  @Test("brackets and commas in texts count for nothing")
  func quotedBrackets() throws {
    let text = String(repeating: #"[{,\"\\"#, count: 5000)
    _ = try JSONReader.parse("\"\(text)\"")
  }

  @Test("an error says where, and cannot harm the terminal it is shown on")
  func message() {
    let error = #expect(throws: JSONError.self) {
      try JSONReader.parse("{\"a\": \u{1B}[31m\u{202E}}")
    }
    let text = error?.description ?? ""
    #expect(text.hasSuffix("at byte 6") || text.contains("byte"))
    #expect(text.unicodeScalars.allSatisfy(HarmTests.isHarmless))
  }

  @Test("any bytes are read or refused, never a crash")
  func anyBytes() {
    var random = TestRandom()
    let seed = Array(
      #"{"cmd":"send","to":"7M2K","text":"h\u00e9 \ud83d\ude00é","n":[1,-2.5e3,true]}"#.utf8)
    for _ in 0..<5000 {
      var bytes = seed
      for _ in 0...random.below(3) {
        switch random.below(3) {
        case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
        case 1: bytes.remove(at: random.below(bytes.count))
        default: bytes = Array(bytes.prefix(random.below(bytes.count) + 1))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      if let value = try? JSONReader.parse(bytes) {
        // What is taken is taken whole: it comes back the same.
        #expect((try? JSONReader.parse(value.text)) == value, "seed \(TestRandom.seed)")
      }
    }
  }
}
