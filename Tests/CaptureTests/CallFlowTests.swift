import Capture
import Testing
import Wire

@Suite("Capture: frames on the direct road") struct CallFlowTests {
  private func frame(_ sequence: UInt32, count: Int = 80) -> [UInt8] {
    NetworkBytes.word(sequence)
      + [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: count - 4)
  }

  /// Datagrams, so many milliseconds apart, both ways where asked for.
  private func reading(
    _ datagrams: [[UInt8]], every milliseconds: UInt32 = 20, isBack: (Int) -> Bool = { _ in false }
  ) throws -> Reading {
    var file = CaptureBytes()
    file.pcapHeader(linkType: 101)
    for (place, data) in datagrams.enumerated() {
      let time = UInt32(place) * milliseconds
      let back = isBack(place)
      file.pcapRecord(
        NetworkBytes.ipv4(
          back ? NetworkBytes.udp(data, from: 7_000, to: 41_000) : NetworkBytes.udp(data),
          protocol: 17, from: back ? NetworkBytes.ben : NetworkBytes.ada,
          to: back ? NetworkBytes.ada : NetworkBytes.ben),
        seconds: time / 1_000, fraction: time % 1_000 * 1_000)
    }
    return try Reading(file.bytes)
  }

  @Test("frames that count at the pace of speech are told from the first on")
  func found() throws {
    let reading = try reading((7..<17).map { frame($0) })
    #expect(reading.seen.frames.map(\.frame.sequence) == Array(7..<17))
    #expect(reading.seen.frames.map(\.crossing.record) == Array(1...10))
    #expect(reading.links == ["10.77.1.1:41000-10.77.1.2:7000"])
    #expect(reading.seen.frames.allSatisfy { $0.crossing.direction == .outbound })
    #expect(reading.seen.frames.map(\.bytes) == (7..<17).map { frame($0) })
  }

  @Test("each direction counts by itself, with losses in between")
  func both() throws {
    let numbers: [UInt32] = [0, 100, 1, 101, 4, 105, 5, 106, 6, 107]
    let reading = try reading(numbers.map { frame($0) }, every: 10) { !$0.isMultiple(of: 2) }
    #expect(Set(reading.seen.frames.map(\.frame.sequence)) == Set(numbers))
    #expect(reading.links.count == 1)
  }

  @Test(
    "what counts otherwise is no call",
    arguments: [
      // RTP, the same number over and over, too quick, far apart, too short, too long, downwards.
      ([0x8060_0001, 0x8060_0002, 0x8060_0003, 0x8060_0004, 0x8060_0005], 20, 80),
      ([0x8400, 0x8400, 0x8400, 0x8400, 0x8400], 20, 80), ([1, 2, 3, 4, 5], 0, 80),
      ([1, 50, 100, 150, 200], 20, 80), ([1, 2, 3, 4, 5], 20, 20), ([1, 2, 3, 4, 5], 20, 1_401),
      ([5, 4, 3, 2, 1], 20, 80), ([1, 2, 3, 4, 5], 5_000, 80),
    ] as [([UInt32], UInt32, Int)])
  func foreign(numbers: [UInt32], every: UInt32, count: Int) throws {
    let reading = try reading(numbers.map { frame($0, count: count) }, every: every)
    #expect(reading.seen.frames.isEmpty && reading.links.isEmpty && reading.losses.isEmpty)
  }
}
