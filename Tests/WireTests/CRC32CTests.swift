import CCRC32C
import Testing
import Wire

@Suite struct CRC32CTests {
  private static let known: [(String, [UInt8], UInt32)] = [
    ("nothing", [], 0),
    ("the usual check value", Array("123456789".utf8), 0xE306_9283),
    // RFC 3720, appendix B.4, whose bytes stand in the order in which they go out.
    ("32 bytes of zeros", [UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ("32 bytes of ones", [UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    ("32 bytes ascending", Array(0..<32), 0x46DD_794E),
    ("32 bytes descending", Array((0..<32).reversed()), 0x113F_DB5C),
    (
      "an iSCSI read command",
      [UInt8](
        hex: "01c00000000000000000000000000000140000000000040000000014000000182800000000000000"
          + "0200000000000000") ?? [], 0xD996_3A56
    ),
  ]

  @Test("published check values, by the instruction and by the table", arguments: known)
  func publishedValues(name: String, bytes: [UInt8], crc: UInt32) {
    #expect(airlink_crc32c(0, bytes, bytes.count) == crc)
    #expect(airlink_crc32c_portable(0, bytes, bytes.count) == crc)
  }

  @Test("instruction and table agree at every length and alignment", arguments: propertySeeds)
  func agreement(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bytes = random.bytes(9_000)
    bytes.withUnsafeBytes { memory in
      for length in Array(0...80)
        + (0..<20).map({ _ in Int.random(in: 81...8_900, using: &random) })
      {
        for alignment in 0..<8 {
          let start = memory.baseAddress?.advanced(by: alignment)
          let before = UInt32.random(in: .min ... .max, using: &random)
          #expect(
            airlink_crc32c(before, start, length) == airlink_crc32c_portable(before, start, length),
            "seed \(seed), \(length) bytes at \(alignment)")
        }
      }
    }
  }

  @Test("a CRC goes on from the bytes before, wherever they are cut", arguments: propertySeeds)
  func continuation(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bytes = random.bytes(300)
    let crc = airlink_crc32c(0, bytes, bytes.count)
    for cut in 0...bytes.count {
      let first = Array(bytes[..<cut])
      let second = Array(bytes[cut...])
      let sum = airlink_crc32c(airlink_crc32c(0, first, first.count), second, second.count)
      #expect(sum == crc, "seed \(seed), cut at \(cut)")
    }
  }

  @Test("any changed bit makes another CRC")
  func anyBit() {
    let bytes = [UInt8](0..<64)
    let crc = airlink_crc32c(0, bytes, bytes.count)
    for bit in 0..<(bytes.count * 8) {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(airlink_crc32c(0, changed, changed.count) != crc)
    }
  }
}
