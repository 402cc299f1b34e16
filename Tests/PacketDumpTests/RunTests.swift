import CommandLine
import Foundation
import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: how it runs") struct RunTests {
  @Test("a cut file is shown as far as it goes, then where and why it stopped, and 1")
  func cut() throws {
    let bench = try Bench()
    let bytes = Sample.capture(["wifi-1"], [(0, 2, Sample.packet()), (0, 2, Sample.packet(id: 2))])
    let result = try bench.run(Array(bytes.dropLast(10)))
    #expect(result.code == .failed)
    #expect(result.lines.count == 1)
    #expect(result.errors.contains("cut at byte "))
    #expect(result.errors.hasPrefix("airlink-packetdump: error: '"))
    let statistics = try bench.run(Array(bytes.dropLast(10)), "--stats")
    #expect(statistics.code == .failed && statistics.output.hasPrefix("1 packets"))
  }

  @Test("a file that is not there, and a directory, are named")
  func missing() throws {
    let bench = try Bench()
    let result = bench.run(words: [bench.path + "/none\u{1B}"])
    #expect(result.code == .failed)
    #expect(result.errors.contains("No such file") && !result.errors.contains("\u{1B}"))
    #expect(bench.run(words: [bench.path]).code == .failed)
  }

  @Test("standard input is read without a name and by its hyphen", arguments: [[], ["-"]])
  func input(words: [String]) throws {
    let bench = try Bench()
    let file = try bench.write(Sample.packet().encoded)
    let input = open(file, O_RDONLY)
    let result = bench.run(words: words, input: input)
    #expect(result.code == .done && result.lines.count == 1)
  }

  @Test("a reader that has gone is no error; a full disk is")
  func closed() throws {
    let bench = try Bench()
    let file = try bench.write((1...200).flatMap { Sample.packet(id: $0).encoded })
    let closed = TextSink { (_: [UInt8]) throws(WriteError) in throw .closed }
    #expect(bench.run(words: ["-l", file], sink: closed).code == .done)
    let full = TextSink { (_: [UInt8]) throws(WriteError) in throw .failed(errno: ENOSPC) }
    let result = bench.run(words: [file], sink: full)
    #expect(result.code == .failed && result.errors.contains("No space left"))
  }

  @Test("copies are remembered up to a bound, the oldest forgotten first")
  func copies() {
    var table = CopyTable()
    func header(_ number: Int) -> PacketHeader {
      Packet(
        kind: .sealed, hopLimit: 5, time: Timestamp(milliseconds: UInt64(number)),
        id: PacketID(), destination: Sample.recipient, payload: [UInt8](repeating: 0, count: 304)
      ).header
    }
    let first = header(0)
    #expect(table.note(first, link: 0).copy == 1)
    for number in 1...CopyTable.capacity - 1 { _ = table.note(header(number), link: 1) }
    #expect(table.note(first, link: 1).copy == 2)
    _ = table.note(header(CopyTable.capacity), link: 1)
    #expect(table.note(first, link: 1).copy == 1)
  }
}
