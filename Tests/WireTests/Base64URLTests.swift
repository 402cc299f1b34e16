import Testing
import Wire

@Suite struct Base64URLTests {
  static let known: [([UInt8], String)] = [
    // RFC 4648, section 10, without padding.
    (Array("".utf8), ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"),
    (Array("foo".utf8), "Zm9v"), (Array("foob".utf8), "Zm9vYg"), (Array("fooba".utf8), "Zm9vYmE"),
    (Array("foobar".utf8), "Zm9vYmFy"),
    // The two characters of the URL alphabet.
    ([0xFB, 0xEF, 0xFF], "--__"), ([0xFF], "_w"),
  ]

  @Test("the RFC's examples, both ways", arguments: known)
  func knownTexts(bytes: [UInt8], text: String) {
    #expect(bytes.base64URL == text)
    #expect([UInt8](base64URL: text.utf8) == bytes)
  }

  @Test(
    "other characters, padding, white space and impossible lengths are refused",
    arguments: [
      "Z", "Zm9vY", "Zg==", "Zg=", "=", "Zm8=", "Zm9v ", " Zm9v", "Zm\n9v", "Zm+v", "Zm/v", "Zm9é",
      "Zm9\0", "Zm.v",
    ])
  func refused(text: String) {
    #expect([UInt8](base64URL: text.utf8) == nil)
  }

  @Test("a text with bits past the last byte is refused: one text for the same bytes")
  func unusedBits() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    // Two characters carry 12 bits, of which 4 are unused; three carry 18, of which 2 are.
    #expect(alphabet.count { [UInt8](base64URL: [0x5A, $0]) != nil } == 4)
    #expect(alphabet.count { [UInt8](base64URL: [0x5A, 0x5A, $0]) != nil } == 16)
    #expect(alphabet.count { [UInt8](base64URL: [0x5A, 0x5A, 0x5A, $0]) != nil } == 64)
  }

  @Test("every length goes there and back", arguments: propertySeeds)
  func roundTrip(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for length in 0...70 {
      let bytes = random.bytes(length)
      #expect([UInt8](base64URL: bytes.base64URL.utf8) == bytes, "seed \(seed)")
    }
  }
}
