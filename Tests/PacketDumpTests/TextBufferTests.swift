import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: text") struct TextBufferTests {
  private func text(_ body: (inout TextBuffer) -> Void) -> String {
    var buffer = TextBuffer()
    body(&buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  @Test(
    "numbers of every length are written, with zeros where they are wanted",
    arguments: [0, 1, 9, 10, 99, 100, 12_345, -7, .max, .min] as [Int64])
  func numbers(value: Int64) {
    #expect(text { $0.put(value) } == "\(value)")
    #expect(text { $0.put(atMost: 40) { $0.put(decimal: UInt64.max) } } == "\(UInt64.max)")
    guard value >= 0, value < 1_000_000 else { return }
    let padded = String(repeating: "0", count: 6 - "\(value)".count) + "\(value)"
    #expect(text { $0.put(value, width: 6) } == padded)
  }

  @Test("ids, bytes, numbers and times are what the slow way makes of them")
  func parts() throws {
    let bytes = (0..<16).map { UInt8($0 * 17) ^ 0x5A }
    let id = try #require(PacketID(bytes))
    #expect(text { $0.put(atMost: 32) { $0.put(id: id) } } == id.hex)
    #expect(text { $0.put(hex: bytes.span.bytes) } == bytes.hex)
    let whom = Fingerprint(value: 0x9ABC_DEF0_1234_5678)
    #expect(text { $0.put(atMost: 9) { $0.put(number: whom) } } == "\(whom.number)")
    #expect(text { $0.putSeconds(milliseconds: -61_002) } == "-61.002 s")
    #expect(text { $0.put(tenths: 12.36) } == "12.4")
  }

  @Test("what there is no room for is left out")
  func room() {
    #expect(text { $0.put(atMost: 3) { $0.put("four") } }.isEmpty)
    #expect(text { $0.put(atMost: 2) { $0.put(decimal: Int64(100)) } }.isEmpty)
    #expect(text { buffer in for _ in 0..<40_000 { buffer.put("abc") } }.count == 120_000)
  }
}
