import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: copies") struct CopyTableTests {
  private func header(_ number: UInt64, crc: UInt8 = 0, hopLimit: UInt8 = 1) -> PacketHeader {
    let id = PacketID(withUnsafeBytes(of: (number, number &* 7)) { Array($0) }) ?? PacketID()
    return Packet(
      kind: .voice, hopLimit: 1, time: .zero, id: id, destination: Sample.recipient,
      payload: [UInt8](repeating: crc, count: 21)
    ).header
  }

  @Test("copies are counted, with what the first was; another content is another packet")
  func copies() {
    var table = CopyTable()
    #expect(table.note(header(1), link: 3).copy == 1)
    let second = table.note(header(1), link: 4)
    #expect(second.copy == 2 && second.firstLink == 3)
    #expect(table.note(header(1, crc: 9), link: 4).copy == 1)
    #expect(table.note(header(1, crc: 9), link: 5).firstLink == 4)
  }

  @Test(
    "the oldest goes first, and no other is forgotten", arguments: [1, 77, 1 << 50] as [UInt64])
  func bounded(key: UInt64) {
    var table = CopyTable(keys: (key, ~key))
    let count = UInt64(CopyTable.capacity)
    let all = (0..<count + 1_000).map { header($0 << 3) }
    for header in all { #expect(table.note(header, link: 0).copy == 1) }
    for number in stride(from: 1_000, to: count + 1_000, by: 17) {
      #expect(table.note(all[Int(number)], link: 1).copy == 2)
    }
    for number in stride(from: 0, to: 900 as UInt64, by: 90) {
      #expect(table.note(all[Int(number)], link: 1).copy == 1)
    }
  }
}
