import Capture
import Testing
import Wire

@Suite("Capture: pcapng") struct PcapngTests {
  private func node(isBigEndian: Bool = false) -> CaptureBytes {
    var file = CaptureBytes(isBigEndian: isBigEndian)
    file.section()
    file.interface("wifi-1", resolution: 9)
    file.interface("ble-2")
    file.enhanced(packet(id: 1), interface: 0, time: 5, flags: 2)
    file.enhanced(packet(id: 2), interface: 1, time: 5, flags: 1)
    return file
  }

  @Test("names, directions and resolutions are the interfaces' own", arguments: [false, true])
  func interfaces(isBigEndian: Bool) throws {
    let reading = try Reading(node(isBigEndian: isBigEndian).bytes)
    #expect(reading.format == .pcapng)
    #expect(reading.error == nil)
    #expect(reading.links == ["wifi-1", "ble-2"])
    #expect(reading.records.map(\.info.direction) == [.outbound, .inbound])
    #expect(reading.records.map { $0.info.time?.nanoseconds } == [5, 5_000])
    #expect(reading.seen.packets.map(\.crossing.link) == [0, 1])
    #expect(reading.seen.packets.map { $0.packet.header.id.bytes[0] } == [1, 2])
  }

  @Test("a new section may have the other byte order and other interfaces")
  func sections() throws {
    var second = CaptureBytes(isBigEndian: true)
    second.section()
    second.interface("wifi-9")
    second.enhanced(packet(id: 3), time: 1)
    let reading = try Reading(node().bytes + second.bytes)
    #expect(reading.error == nil)
    #expect(reading.seen.packets.map { $0.packet.header.id.bytes[0] } == [1, 2, 3])
    #expect(reading.links == ["wifi-1", "ble-2", "wifi-9"])
  }

  @Test("simple blocks belong to the first interface and have no time; others are skipped")
  func simple() throws {
    var file = CaptureBytes()
    file.section()
    file.interface(snapshot: 400)
    file.block(5) { $0.put(0 as UInt64) }
    file.simple(packet(id: 1))
    file.simple(Array(packet(id: 2).prefix(200)), original: 348)
    let reading = try Reading(file.bytes)
    #expect(reading.records.map(\.info.time) == [nil, nil])
    #expect(reading.records.map(\.bytes.count) == [348, 200])
    #expect(reading.links == ["interface 0"])
    #expect(reading.seen.losses.map(\.loss) == [.cutRecord(captured: 200, original: 348)])
  }

  @Test("an obsolete packet block is read too")
  func obsolete() throws {
    var file = CaptureBytes()
    file.section()
    file.interface("wifi-1")
    file.block(2) {
      $0.put(0 as UInt16)
      $0.put(0 as UInt16)
      $0.put(0 as UInt32)
      $0.put(7 as UInt32)
      $0.put(348 as UInt32)
      $0.put(348 as UInt32)
      $0.bytes += packet(id: 4)
    }
    let reading = try Reading(file.bytes)
    #expect(reading.seen.packets.map { $0.packet.header.id.bytes[0] } == [4])
    #expect(reading.records.first?.info.time?.nanoseconds == 7_000)
  }

  @Test(
    "times are exact in every resolution",
    arguments: [
      (0, 3, 3_000_000_000), (3, 1_500, 1_500_000_000), (9, 7, 7), (12, 9_999, 9),
      (0x80 | 1, 3, 1_500_000_000), (0x80 | 10, 1_024 + 512, 1_500_000_000),
      (0x80, 2, 2_000_000_000),
      (0x80 | 32, (5 << 32) + (1 << 31), 5_500_000_000), (0x7F, 5, 0), (0xFF, 5, 0),
    ] as [(UInt8, UInt64, Int64)])
  func resolutions(resolution: UInt8, units: UInt64, nanoseconds: Int64) throws {
    var file = CaptureBytes()
    file.section()
    file.interface(resolution: resolution)
    file.interface(resolution: resolution, offset: -2)
    file.enhanced(packet(), time: units)
    file.enhanced(packet(), interface: 1, time: units)
    let times = try Reading(file.bytes).records.map { $0.info.time?.nanoseconds }
    #expect(times == [nanoseconds, nanoseconds - 2_000_000_000])
  }

  @Test("times that no clock has are left out", arguments: [0, 6, 0x80] as [UInt8])
  func hugeTimes(resolution: UInt8) throws {
    var file = CaptureBytes()
    file.section()
    file.interface(resolution: resolution, offset: .max)
    file.enhanced(packet(), time: .max)
    #expect(try Reading(file.bytes).records.map(\.info.time) == [nil])
  }

  @Test("a file cut anywhere gives what is whole, and where it stopped")
  func cut() throws {
    let bytes = node().bytes
    var file = node()
    file.enhanced(packet(id: 3))
    for length in stride(from: bytes.count + 1, to: file.bytes.count, by: 3) {
      let reading = try Reading(Array(file.bytes.prefix(length)))
      #expect(reading.records.count == 2)
      guard case .cut(let offset, _)? = reading.error else {
        Issue.record("no error at \(length)")
        continue
      }
      #expect(offset == UInt64(bytes.count))
    }
  }

  @Test(
    "damage is named with its place",
    arguments: [
      [0, 0, 0, 0, 0, 0, 0, 0], [6, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], [6, 0, 0, 0, 13, 0, 0, 0],
      [6, 0, 0, 0, 12, 0, 0, 0, 13, 0, 0, 0], [6, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0],
      [1, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0], [3, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0],
      [0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 1, 2, 3, 4],
    ] as [[UInt8]])
  func damaged(tail: [UInt8]) throws {
    let good = node().bytes
    let reading = try Reading(good + tail)
    #expect(reading.records.count == 2)
    guard case .damaged(let offset, let reason)? = reading.error else {
      Issue.record("\(String(describing: reading.error))")
      return
    }
    #expect(offset == UInt64(good.count))
    #expect(!reason.isEmpty)
  }

  @Test("a packet of an interface that nobody described is damage")
  func unknownInterface() throws {
    var file = CaptureBytes()
    file.section()
    file.enhanced(packet())
    let reading = try Reading(file.bytes)
    guard case .damaged(_, let reason)? = reading.error else {
      Issue.record("no error")
      return
    }
    #expect(reason.contains("interface 0"))
  }

  @Test("bytes changed at random never trap", arguments: propertySeeds)
  func hostile(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      var bytes = node(isBigEndian: Bool.random(using: &random)).bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: 4..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      #expect(try Reading(bytes).records.count <= 2, "seed \(seed)")
    }
  }
}
