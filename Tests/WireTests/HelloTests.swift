import Testing
import Wire

@Suite struct HelloTests {
  private static func hello(name: String) -> Hello {
    var random = SplitMix64(seed: 5)
    return Hello(
      keys: PublicKeys(signing: random.value(), agreement: random.value()), name: name,
      signature: random.value())
  }

  static let names = [
    "", "a", "Ada Lovelace", "Zoë 👩🏽‍🚀", "\u{1B}[31mred\u{7}", "\u{202E}evil", "a\0b",
    String(repeating: "x", count: 64), String(repeating: "🦊", count: 16),
  ]

  @Test("any name of at most 64 bytes goes there and back", arguments: names)
  func roundTrip(name: String) throws {
    let hello = Self.hello(name: name)
    #expect(hello.payload.count == 129 + name.utf8.count)
    #expect(Hello.payloadLengths.contains(hello.payload.count))
    let read = try Hello(payload: hello.payload.span.bytes)
    #expect(read == hello)
    // Byte for byte, not only by canonical equivalence.
    #expect(Array(read.name.utf8) == Array(name.utf8))
    #expect(read.payload == hello.payload)
  }

  @Test("a name is not normalised: the signature covers its bytes")
  func notNormalised() throws {
    let payload = Self.hello(name: "e\u{301}").payload
    #expect(try Hello(payload: payload.span.bytes).payload == payload)
  }

  @Test("every cut length is refused, and every byte too many", arguments: names)
  func cuts(name: String) {
    let payload = Self.hello(name: name).payload
    for length in 0..<payload.count {
      let cut = Array(payload[..<length])
      let read = outcome { () throws(Hello.DecodeError) in try Hello(payload: cut.span.bytes) }
      #expect(read == .failure(.badLength(length)))
    }
    for extra in [1, 64, 9_000] {
      let long = payload + [UInt8](repeating: 0, count: extra)
      let read = outcome { () throws(Hello.DecodeError) in try Hello(payload: long.span.bytes) }
      #expect(read == .failure(.badLength(long.count)))
    }
  }

  @Test("a declared name length other than the bytes there is refused")
  func declaredLength() {
    var payload = Self.hello(name: "abc").payload
    for declared in UInt8.min...UInt8.max where declared != 3 {
      payload[64] = declared
      let read = outcome { () throws(Hello.DecodeError) in try Hello(payload: payload.span.bytes) }
      #expect(read == .failure(.badLength(132)), "declared \(declared)")
    }
  }

  static let notUTF8: [[UInt8]] = [
    [0xFF], [0x80], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80],
    [0xF4, 0x90, 0x80, 0x80],
    [0xF8, 0x88, 0x80, 0x80, 0x80], Array("ok".utf8) + [0xF0, 0x9F, 0xA6],
  ]

  @Test("a name that is not UTF-8 is refused", arguments: notUTF8)
  func badName(name: [UInt8]) {
    let good = Self.hello(name: String(repeating: "x", count: name.count)).payload
    let payload = Array(good[..<65]) + name + Array(good[(65 + name.count)...])
    let read = outcome { () throws(Hello.DecodeError) in try Hello(payload: payload.span.bytes) }
    #expect(read == .failure(.nameNotUTF8))
  }

  @Test("the signature covers label, id, time and all before it")
  func signedBytes() throws {
    let hello = Self.hello(name: "Ada")
    let unsigned = Hello.unsignedPayload(keys: hello.keys, name: "Ada")
    #expect(unsigned == Array(hello.payload.dropLast(64)))
    let id = try #require(PacketID([UInt8](repeating: 9, count: 16)))
    let covered = Hello.signedBytes(
      id: id, time: Timestamp(milliseconds: 0x0102_0304_0506_0708), unsignedPayload: unsigned)
    #expect(
      covered == Array("airlink-hello-v1".utf8) + id.bytes + Array(1...8) + unsigned)
  }
}
