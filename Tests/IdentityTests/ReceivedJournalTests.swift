import Foundation
import Testing
import Wire

@testable import Identity

@Suite("journal of received messages") struct ReceivedJournalTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.home()
  }

  private func journal(limit: Int = 64, person: UInt8 = 1) throws -> ReceivedJournal {
    try ReceivedJournal(home: scratch.home(), identity: .sample(person), limit: limit)
  }

  private func samples(_ range: some Collection<Int>) -> [ReceivedJournal.Entry] {
    range.map { .sample(UInt64($0)) }
  }

  @Test("what was added is there after a restart, in order")
  func roundTrip() throws {
    let first = try journal()
    #expect(try first.load() == [])
    for entry in samples(0..<10) { try first.append(entry) }
    #expect(try first.load() == samples(0..<10))
    let second = try journal()
    #expect(second.recordCount == 10)
    #expect(try second.load() == samples(0..<10))
    try second.append(.sample(10))
    #expect(try journal().load() == samples(0...10))
    #expect(second.damagedCount == 0)
    #expect(try scratch.bytes("received").count == 12 * 128)
  }

  @Test("a record written in part is cut off, and the next ones are in step")
  func tornTail() throws {
    let writer = try journal()
    for entry in samples(0..<3) { try writer.append(entry) }
    let whole = try scratch.bytes("received")
    for length in (3 * 128)..<(4 * 128) {
      try scratch.write(Array(whole[..<length]), "received")
      let reopened = try journal()
      try #require(reopened.load() == samples(0..<2))
      try reopened.append(.sample(9))
      try #require(journal().load() == samples([0, 1, 9]))
    }
  }

  @Test("a damaged record costs itself alone")
  func damagedRecord() throws {
    let writer = try journal()
    for entry in samples(0..<5) { try writer.append(entry) }
    var bytes = try scratch.bytes("received")
    bytes[128 * 3 + 60] ^= 1
    try scratch.write(bytes, "received")
    let reopened = try journal()
    #expect(try reopened.load() == samples([0, 1, 3, 4]))
    #expect(reopened.damagedCount == 1)
    #expect(reopened.wantsCompaction)
    try reopened.compact(keeping: reopened.load())
    #expect(try journal().load() == samples([0, 1, 3, 4]))
    #expect(!reopened.wantsCompaction)
  }

  @Test("cut short within its header, or with another one, it is begun anew")
  func badHeader() throws {
    try journal().append(.sample(1))
    let whole = try scratch.bytes("received")
    for length in 0..<128 {
      try scratch.write(Array(whole[..<length]), "received")
      try #require(journal().load() == [])
      try #require(scratch.bytes("received").count == 128)
    }
    var bytes = whole
    bytes[16] = 2
    try scratch.write(bytes, "received")
    #expect(try journal().load() == [])
  }

  @Test("another identity reads nothing out of it")
  func otherIdentity() throws {
    try journal().append(.sample(1))
    let other = try journal(person: 2)
    #expect(try other.load() == [])
    #expect(other.damagedCount == 1)
  }

  @Test("a record cannot be taken for another: each has a nonce of its own")
  func nonces() throws {
    let writer = try journal()
    try writer.append(.sample(1))
    try writer.append(.sample(1))
    let bytes = try scratch.bytes("received")
    #expect(bytes[128..<152] != bytes[256..<280])
    #expect(bytes[152..<256] != bytes[280..<384])
  }

  @Test("at its limit it keeps the newer half and goes on")
  func bounded() throws {
    let writer = try journal(limit: 8)
    for entry in samples(0..<100) {
      try writer.append(entry)
      #expect(try scratch.bytes("received").count <= 9 * 128)
    }
    let kept = try journal(limit: 8).load()
    #expect((4...8).contains(kept.count))
    #expect(kept == samples((100 - kept.count)..<100))
  }

  @Test("of a file over the limit the newest are read")
  func overLimit() throws {
    let writer = try journal()
    for entry in samples(0..<20) { try writer.append(entry) }
    #expect(try journal(limit: 8).load() == samples(12..<20))
  }

  @Test("compaction keeps what it is given, at most half the limit, and makes no litter")
  func compaction() throws {
    let writer = try journal(limit: 16)
    for entry in samples(0..<10) { try writer.append(entry) }
    try scratch.write(Array("half".utf8), "received.tmp")
    try writer.compact(keeping: samples([3, 5]))
    #expect(writer.recordCount == 2)
    try writer.append(.sample(7))
    #expect(try journal(limit: 16).load() == samples([3, 5, 7]))
    try writer.compact(keeping: samples(0..<10))
    #expect(try journal(limit: 16).load() == samples(2..<10))
    #expect(try scratch.names == ["received"])
  }

  @Test("it wants compaction once it has doubled and grown by 4,096 beside")
  func wantsCompaction() throws {
    let writer = try journal(limit: ReceivedJournal.maximumRecords)
    for value in 0..<4_096 {
      #expect(!writer.wantsCompaction)
      try writer.append(.sample(UInt64(value)))
    }
    #expect(writer.wantsCompaction)
    try writer.compact(keeping: writer.load())
    #expect(!writer.wantsCompaction)
  }

  @Test("a link, or a file open to others, is refused and left as it is")
  func badFile() throws {
    let path = scratch.path + "/home/received"
    try scratch.write([1, 2, 3], "received", mode: 0o644)
    #expect(throws: FileError.tooOpen(path: path, mode: 0o644, allowed: 0o600)) { try journal() }
    #expect(try scratch.bytes("received") == [1, 2, 3])
    #expect(unlink(path) == 0)
    #expect(symlink("/nowhere", path) == 0)
    #expect(throws: FileError.symbolicLink(path: path)) { try journal() }
  }
}
