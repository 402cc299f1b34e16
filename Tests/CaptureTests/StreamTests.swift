import Capture
import Testing
import Wire

@Suite("Capture: bare packets") struct StreamTests {
  @Test("packets one behind the other are found, with what is between them told")
  func stream() throws {
    var broken = packet(id: 2)
    broken[60] ^= 1
    let bytes = packet(id: 1) + [1, 2, 3] + broken + packet(.hello, id: 3, count: 129)
    let reading = try Reading(bytes)
    #expect(reading.format == .stream)
    #expect(reading.seen.packets.map { $0.packet.header.id.bytes[0] } == [1, 3])
    #expect(
      reading.seen.losses.map(\.loss) == [.skipped(bytes: 3 + broken.count, badChecksums: 1)])
    #expect(reading.links == ["stream"])
  }

  @Test("what is begun at the end is told")
  func unfinished() throws {
    let reading = try Reading(packet(id: 1) + packet(id: 2).prefix(100))
    #expect(reading.seen.packets.count == 1)
    #expect(reading.seen.losses.map(\.loss) == [.unfinished(bytes: 100)])
  }

  @Test("an empty file holds nothing and is no error")
  func empty() throws {
    let reading = try Reading([])
    #expect(reading.records.isEmpty && reading.error == nil && reading.seen.losses.isEmpty)
  }

  @Test("garbage that closes a node's link is said, and the packet behind it is found")
  func garbage() throws {
    let count = StreamChunker.maximumGarbage + 10_000
    let reading = try Reading([UInt8](repeating: 7, count: count) + packet(id: 1))
    #expect(reading.seen.packets.count == 1)
    let losses = reading.seen.losses.map(\.loss)
    #expect(losses.contains(.misbehaved(.garbage)))
    let skipped = losses.reduce(0) { sum, loss in
      if case .skipped(let bytes, _) = loss { sum + bytes } else { sum }
    }
    #expect(skipped == count)
  }

  @Test("any number of bad CRCs ends nothing where no times are known")
  func badChecksums() throws {
    var broken = packet(id: 1)
    broken[60] ^= 1
    let bytes = (0..<200).flatMap { _ in broken } + packet(id: 2)
    let reading = try Reading(bytes)
    #expect(reading.seen.packets.count == 1)
    #expect(!reading.seen.losses.map(\.loss).contains(.misbehaved(.badChecksums)))
  }

  @Test("every byte is in a packet or told as lost", arguments: propertySeeds)
  func accounted(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var bytes: [UInt8] = []
    for id in 0..<UInt8(60) {
      var next = packet(id: id)
      if Int.random(in: 0..<4, using: &random) == 0 {
        next.removeSubrange(Int.random(in: 0..<next.count, using: &random)...)
      }
      bytes += next
    }
    let reading = try Reading(bytes)
    let packed = reading.seen.packets.reduce(0) { $0 + $1.packet.encoded.count }
    let lost = reading.seen.losses.reduce(0) { sum, lost in
      switch lost.loss {
      case .skipped(let bytes, _), .unfinished(let bytes): sum + bytes
      default: sum
      }
    }
    #expect(packed + lost == bytes.count, "seed \(seed)")
  }
}
