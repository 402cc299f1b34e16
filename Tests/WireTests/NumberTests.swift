import Testing
import Wire

@Suite struct NumberTests {
  @Test("the reserved examples are known", arguments: ["0000-0000", "1234-5678", "ABCD-EFGH"])
  func reserved(text: String) throws {
    let number = try Number(parsing: text)
    #expect(number.isReserved)
    #expect(number.description == text)
  }

  @Test(
    "a neighbour of a reserved number is not reserved",
    arguments: ["0000-0001", "1234-5679", "1234-5677", "ABCD-EFGJ", "ABCD-EFGG", "ZZZZ-ZZZZ"])
  func notReserved(text: String) throws {
    #expect(try !Number(parsing: text).isReserved)
  }

  @Test("a number is the fingerprint's first 40 bits in Crockford's base 32")
  func ofFingerprint() {
    // Worked out by hand: 00000 00001 00010 … 00111, five bits a digit.
    #expect(Fingerprint(value: 0x0044_3214_C7FF_FFFF).number.description == "0123-4567")
    #expect(Fingerprint(value: 0xFFFF_FFFF_FF00_0000).number.description == "ZZZZ-ZZZZ")
    #expect(Fingerprint(value: 0x0000_0000_00FF_FFFF).number.description == "0000-0000")
    #expect(Fingerprint(value: 0x0000_0000_0100_0000).number.description == "0000-0001")
  }

  @Test("every digit of the alphabet stands for its own value")
  func everyDigit() throws {
    for (value, digit) in "0123456789ABCDEFGHJKMNPQRSTVWXYZ".enumerated() {
      for place in 0..<8 {
        var text = Array("00000000")
        text[place] = digit
        let number = try Number(parsing: String(text))
        #expect(number.value == UInt64(value) << UInt64(5 * (7 - place)))
        #expect(number.description.filter { $0 != "-" } == String(text))
      }
    }
  }

  @Test(
    "people's spellings are read as the number they mean",
    arguments: [
      ("7m2k-q9xd", "7M2K-Q9XD"), ("7M2KQ9XD", "7M2K-Q9XD"), ("7M2K Q9XD", "7M2K-Q9XD"),
      ("  7-M-2-K q 9 x d --", "7M2K-Q9XD"), ("IL1i-l000", "1111-1000"), ("oO00-0001", "0000-0001"),
      ("llll-iiii", "1111-1111"),
    ])
  func spellings(text: String, canonical: String) throws {
    #expect(try Number(parsing: text).description == canonical)
  }

  @Test(
    "every other character is refused and named",
    arguments: [
      "U", "u", "_", "*", "\t", "\n", "\r", "\0", "\u{7F}", "\u{A0}", "\u{2010}", "\u{2011}",
      "\u{2013}", "\u{2212}", "\u{200B}", "\u{FF11}", "\u{0661}", "é", "İ", "ı", "\u{212A}", "ſ",
      "\u{1F600}",
    ])
  func otherCharacters(character: String) throws {
    let scalar = try #require(character.unicodeScalars.first)
    for text in ["7M2K\(character)Q9XD", "\(character)7M2KQ9XD", "7M2K-Q9X\(character)"] {
      #expect(throws: Number.ParseError.badCharacter(scalar)) { try Number(parsing: text) }
    }
  }

  @Test("all bytes but digits, letters, space and hyphen are refused")
  func allASCII() {
    let read = Set("0123456789ABCDEFGHIJKLMNOPQRSTVWXYZabcdefghijklmnopqrstvwxyz -".unicodeScalars)
    for value in 0..<0x180 as Range<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let refused = (try? Number(parsing: "0000000\(scalar)0".prefix(9))) == nil
      // Space and hyphen leave eight digits.
      let digits = scalar == " " || scalar == "-" ? 8 : 9
      if digits == 8 {
        #expect(!refused)
      } else if read.contains(scalar) {
        #expect(throws: Number.ParseError.wrongLength(9)) {
          try Number(parsing: "0000000\(scalar)0")
        }
      } else {
        #expect(throws: Number.ParseError.badCharacter(scalar)) {
          try Number(parsing: "0000000\(scalar)0")
        }
      }
    }
  }

  @Test(
    "another count of digits than eight is refused, and said",
    arguments: [
      ("", 0), (" - - ", 0), ("7M2K-Q9X", 7), ("7M2K-Q9XD0", 9),
      (String(repeating: "1", count: 999), 999),
    ])
  func lengths(text: String, count: Int) {
    #expect(throws: Number.ParseError.wrongLength(count)) { try Number(parsing: text) }
  }

  @Test("numbers are ordered by their digits")
  func order() throws {
    let texts = ["0000-0001", "0000-0010", "1234-5678", "7M2K-Q9XD", "ZZZZ-ZZZZ"]
    let numbers = try texts.map { try Number(parsing: $0) }
    #expect(numbers.reversed().sorted() == numbers)
  }

  @Test("what is shown is read again as the same number", arguments: propertySeeds)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let number = Fingerprint(value: random.next()).number
      #expect(try Number(parsing: number.description) == number, "seed \(seed)")
      #expect(try Number(parsing: number.description.lowercased()) == number, "seed \(seed)")
    }
  }
}
