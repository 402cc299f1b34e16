import Testing
import Wire

@Suite struct FixedBytesTests {
  @Test("each takes the bytes that the protocol gives it, and no more memory")
  func sizes() {
    #expect(PacketID.byteCount == 16)
    #expect(MessageID.byteCount == 16)
    #expect(Fingerprint.byteCount == 8)
    #expect(SigningPublicKey.byteCount == 32)
    #expect(AgreementPublicKey.byteCount == 32)
    #expect(Signature.byteCount == 64)
    #expect(PublicKeys.byteCount == 64)
  }

  @Test("only the exact count of bytes makes a value", arguments: [0, 1, 15, 17, 32])
  func count(count: Int) {
    #expect(PacketID([UInt8](repeating: 1, count: count)) == nil)
    #expect(PacketID([UInt8](repeating: 1, count: 16)) != nil)
  }

  @Test("a value is read at any offset where all of it stands")
  func offsets() {
    let bytes = [UInt8](0..<40)
    let span = bytes.span.bytes
    for offset in 0...24 {
      #expect(PacketID(span, at: offset)?.bytes == Array(bytes[offset..<(offset + 16)]))
    }
    for offset in [25, 39, 40, 41, Int.max, -1, Int.min] {
      #expect(PacketID(span, at: offset) == nil)
    }
    let short = [UInt8](0..<15)
    let none = PacketID(short.span.bytes)
    #expect(none == nil)
  }

  @Test("bytes are compared from the first, as unsigned")
  func order() throws {
    let ascending = try [
      "00000000000000ff", "0000000000000100", "0100000000000000", "7fffffffffffffff",
      "8000000000000000", "ff00000000000000", "ffffffffffffffff",
    ].map { try #require(Fingerprint(hex: $0)) }
    #expect(ascending.shuffled().sorted() == ascending)
    #expect(ascending.map(\.value).sorted() == ascending.map(\.value))
    #expect(ascending.last == .everyone)
    #expect(!(ascending[0] < ascending[0]))
  }

  @Test("pairs of keys are compared by the signing key, then by the agreement key")
  func keyOrder() throws {
    func keys(_ signing: UInt8, _ agreement: UInt8) throws -> PublicKeys {
      PublicKeys(
        signing: try #require(SigningPublicKey([UInt8](repeating: signing, count: 32))),
        agreement: try #require(AgreementPublicKey([UInt8](repeating: agreement, count: 32))))
    }
    let ascending = try [keys(1, 200), keys(2, 1), keys(2, 2), keys(200, 0)]
    #expect(ascending.reversed().sorted() == ascending)
    #expect(
      ascending[1].bytes == [UInt8](repeating: 2, count: 32) + [UInt8](repeating: 1, count: 32))
  }

  @Test("equal bytes are equal values with one hash, any other byte makes another")
  func equality() throws {
    let bytes = [UInt8](0..<64)
    let signature = try #require(Signature(bytes))
    #expect(Set([signature, try #require(Signature(bytes))]).count == 1)
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x80
      #expect(try #require(Signature(other)) != signature)
    }
  }

  @Test("hexadecimal is written in lower case and read in either")
  func hex() throws {
    let id = try #require(PacketID(hex: "00112233445566778899AABBccddeeff"))
    #expect(id.hex == "00112233445566778899aabbccddeeff")
    #expect(id.description == id.hex)
    #expect(PacketID(hex: id.hex) == id)
    #expect([UInt8](hex: "") == [])
    #expect([UInt8]().hex == "")
  }

  @Test(
    "what is not pairs of hexadecimal digits is refused",
    arguments: [
      "0", "0g", "g0", "0x", " 0", "00 ", "+1", "-1", "0\u{660}", "é0", "\u{FF10}\u{FF10}",
    ])
  func badHex(text: String) {
    #expect([UInt8](hex: text) == nil)
  }

  @Test("an id of another length in hexadecimal is refused", arguments: [0, 30, 34])
  func badHexLength(digits: Int) {
    #expect(PacketID(hex: String(repeating: "0", count: digits)) == nil)
  }

  @Test("a message's id and its first packet's are the same bytes")
  func messageID() throws {
    let id = try #require(PacketID([UInt8](0..<16)))
    #expect(MessageID(id).bytes == id.bytes)
    #expect(PacketID(MessageID(id)) == id)
  }

  @Test("integers are appended with the most significant byte first")
  func bigEndian() {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: UInt16(0x0102))
    bytes.append(bigEndian: UInt64(0x0304_0506_0708_090A))
    #expect(bytes == Array(1...10))
  }
}
