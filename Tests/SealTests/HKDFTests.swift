import Seal
import Testing

private struct RFC5869Case: Decodable {
  var name: String
  var ikm, salt, info, prk, okm: Hex
  var length: Int
}

@Suite struct HKDFTests {
  @Test("the cases of RFC 5869, appendix A")
  func publishedCases() throws {
    let cases = try VectorFile.selected("rfc", "hkdf-sha256.json").decode([RFC5869Case].self)
    #expect(cases.count == 3)
    for vector in cases {
      let (prk, okm) = try lending(vector.salt.bytes, vector.ikm.bytes, vector.info.bytes) {
        parts in
        (
          output(HKDF.keyLength) { HKDF.extract(salt: parts[0], secret: parts[1], into: $0) },
          try output(vector.length) {
            try HKDF.derive(salt: parts[0], secret: parts[1], info: parts[2], into: $0)
          }
        )
      }
      #expect(prk == vector.prk.bytes, "\(vector.name)")
      #expect(okm == vector.okm.bytes, "\(vector.name)")
    }
  }

  @Test("255 blocks are derived, and a byte more is refused")
  func outputLength() throws {
    let longest = try lending([1]) { parts in
      try output(HKDF.maximumOutputLength) {
        try HKDF.derive(salt: parts[0], secret: parts[0], info: parts[0], into: $0)
      }
    }
    #expect(longest.count == 8_160)
    #expect(throws: HKDF.OutputTooLong.self) {
      try lending([1]) { parts in
        try output(HKDF.maximumOutputLength + 1) {
          try HKDF.derive(salt: parts[0], secret: parts[0], info: parts[0], into: $0)
        }
      }
    }
  }

  @Test("a shorter output is the beginning of a longer one", arguments: [0, 1, 12, 31, 32, 33, 64])
  func prefixes(length: Int) throws {
    let (short, long) = try lending([1, 2, 3]) { parts in
      (
        try output(length) {
          try HKDF.derive(salt: parts[0], secret: parts[0], info: parts[0], into: $0)
        },
        try output(100) {
          try HKDF.derive(salt: parts[0], secret: parts[0], info: parts[0], into: $0)
        }
      )
    }
    #expect(short == Array(long[..<length]))
  }
}
