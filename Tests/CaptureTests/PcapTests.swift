import Capture
import Testing
import Wire

@Suite("Capture: pcap") struct PcapTests {
  @Test(
    "both byte orders and both resolutions are read",
    arguments: [false, true], [false, true])
  func forms(isBigEndian: Bool, nanoseconds: Bool) throws {
    var file = CaptureBytes(isBigEndian: isBigEndian)
    file.pcapHeader(nanoseconds: nanoseconds)
    file.pcapRecord(packet(id: 1), seconds: 7, fraction: 5)
    file.pcapRecord(packet(id: 2), seconds: 4_294_967_295, fraction: 999_999)
    let reading = try Reading(file.bytes)
    #expect(reading.format == .pcap)
    #expect(reading.error == nil)
    #expect(reading.seen.packets.map { $0.packet.header.id.bytes[0] } == [1, 2])
    #expect(reading.links == ["packets"])
    let unit: Int64 = nanoseconds ? 1 : 1_000
    #expect(
      reading.records.map { $0.info.time?.nanoseconds } == [
        7_000_000_000 + 5 * unit, 4_294_967_295_000_000_000 + 999_999 * unit,
      ])
    #expect(reading.records.map(\.info.number) == [1, 2])
  }

  @Test("a file cut anywhere gives what is whole, and where it stopped")
  func cut() throws {
    var file = CaptureBytes()
    file.pcapHeader()
    file.pcapRecord(packet(id: 1))
    let one = file.bytes.count
    file.pcapRecord(packet(id: 2))
    for length in [one + 1, one + 15, one + 16, one + 17, file.bytes.count - 1] {
      let reading = try Reading(Array(file.bytes.prefix(length)))
      #expect(reading.records.count == 1)
      guard case .cut(let offset, let reason)? = reading.error else {
        Issue.record("no error at \(length)")
        continue
      }
      #expect(offset == UInt64(one))
      #expect(!reason.isEmpty)
    }
    #expect(try Reading(Array(file.bytes.prefix(one))).error == nil)
  }

  @Test("a record with a length that cannot be stops the reading")
  func damaged() throws {
    var file = CaptureBytes()
    file.pcapHeader()
    file.pcapRecord(packet(id: 1))
    file.put(0 as UInt64)
    file.put(0xFFFF_FFFF as UInt32)
    file.put(0xFFFF_FFFF as UInt32)
    let reading = try Reading(file.bytes)
    #expect(reading.records.count == 1)
    #expect(reading.error != nil)
  }

  @Test("a header that is cut is an error of the file")
  func shortHeader() throws {
    var file = CaptureBytes()
    file.pcapHeader()
    let reading = try Reading(Array(file.bytes.prefix(10)))
    guard case .cut(0, _)? = reading.error else {
      Issue.record("\(String(describing: reading.error))")
      return
    }
  }

  @Test("other link layers are said once, records cut by a snapshot length each")
  func otherLayers() throws {
    var file = CaptureBytes()
    file.pcapHeader(linkType: 189)
    file.pcapRecord([1, 2, 3])
    file.pcapRecord([4])
    #expect(try Reading(file.bytes).seen.losses.map(\.loss) == [.unreadLinkType(189)])

    var cut = CaptureBytes()
    cut.pcapHeader()
    cut.pcapRecord(Array(packet().prefix(100)), original: 348)
    cut.pcapRecord([1, 2, 3])
    #expect(
      try Reading(cut.bytes).seen.losses.map(\.loss) == [
        .cutRecord(captured: 100, original: 348), .noPacket(bytes: 3),
      ])
  }

  @Test("a file that is not there is an error of the system")
  func missing() {
    #expect(throws: CaptureError.system("No such file or directory")) {
      try CaptureReader(path: "/nonexistent/capture")
    }
  }
}
