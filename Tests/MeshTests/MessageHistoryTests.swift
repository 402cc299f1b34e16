import Identity
import Testing
import Wire

@testable import Mesh

@Suite("messages remembered") struct MessageHistoryTests {
  private let now = Instant.zero + .seconds(1_000)
  private let sender = ModelCryptography.keys(of: 2)

  private func id(_ value: Int) -> MessageID {
    var bytes = [UInt8](repeating: 0, count: 8)
    bytes.append(bigEndian: UInt64(value))
    return MessageID(bytes) ?? MessageID()
  }

  private func record(_ value: Int, time: Int? = nil) -> ReceivedRecord {
    ReceivedRecord(
      sender: sender, messageID: id(value), time: Timestamp(milliseconds: UInt64(time ?? value)))
  }

  /// A table with messages of these times, their ids the same numbers.
  private func table(_ times: some Sequence<Int>) -> ReceivedMessages {
    var table = ReceivedMessages()
    for time in times {
      table.record(
        record(time), packet: PacketID(id(time)), isPinned: true, link: LinkID(1), now: now)
    }
    return table
  }

  private func judge(
    _ table: inout ReceivedMessages, _ record: ReceivedRecord
  ) -> ReceivedMessages.Verdict {
    table.judge(
      record, packet: PacketID(record.messageID), isPinned: true, link: LinkID(1), now: now)
  }

  @Test("a pinned sender has 4,096; when they are full the oldest goes")
  func full() {
    var table = table(10_001...14_096)
    #expect(table.pinnedCount == 4_096)
    #expect(judge(&table, record(10_001)) == .repeated(answer: false))
    #expect(judge(&table, record(1)) == .new, "nothing had to go yet")
    table.record(
      record(14_097), packet: PacketID(id(14_097)), isPinned: true, link: LinkID(1), now: now)
    #expect(table.pinnedCount == 4_096)
    #expect(judge(&table, record(10_001)) == .refused, "it may have been shown")
    #expect(judge(&table, record(10_002)) == .repeated(answer: false))
  }

  @Test("unknown messages not newer than what went are refused, newer ones are new")
  func floor() {
    var table = table(10_001...14_097)
    #expect(judge(&table, record(1)) == .refused)
    #expect(judge(&table, record(99_001, time: 10_001)) == .refused)
    #expect(judge(&table, record(99_002, time: 10_002)) == .new)
    #expect(judge(&table, record(99_003, time: 14_098)) == .new)
  }

  @Test("the oldest by time goes, in whatever order they came", arguments: 1...5)
  func anyOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = table((10_001...14_196).shuffled(using: &random))
    for time in 10_001...10_100 { #expect(judge(&table, record(time)) == .refused) }
    for time in 10_101...14_196 { #expect(judge(&table, record(time)) == .repeated(answer: false)) }
    #expect(judge(&table, record(99_001, time: 10_100)) == .refused)
    #expect(judge(&table, record(99_002, time: 10_101)) == .new)
  }

  @Test("one full sender takes nothing from another")
  func perSender() {
    var table = table(10_001...14_097)
    let other = ReceivedRecord(
      sender: ModelCryptography.keys(of: 3), messageID: id(1), time: .zero)
    #expect(judge(&table, other) == .new)
  }

  @Test("what the disk remembers has the same bounds")
  func restored() {
    var table = ReceivedMessages()
    for time in 10_001...14_097 { table.restore(record(time), now: now) }
    #expect(table.pinnedCount == 4_096)
    #expect(judge(&table, record(10_001)) == .refused)
    #expect(judge(&table, record(10_002)) == .repeated(answer: false))
    // The same record twice, as a crash between two writes may leave it, is one.
    table.restore(record(14_097), now: now)
    #expect(table.pinnedCount == 4_096)
    #expect(judge(&table, record(10_002)) == .repeated(answer: false))
  }

  @Test("after 6 h 15 min they are let go, those too of senders who say nothing more")
  func expiry() {
    var table = table(10_001...10_010)
    let late = now + ReceivedMessages.lifetime + .nanoseconds(1)
    let other = ModelCryptography.keys(of: 3)
    for value in 0..<ReceivedMessages.sweepInterval {
      let record = ReceivedRecord(sender: other, messageID: id(value), time: .zero)
      table.record(
        record, packet: PacketID(id(value)), isPinned: true, link: LinkID(1), now: late)
    }
    #expect(table.pinnedCount == ReceivedMessages.sweepInterval)
  }

  @Test("strangers have 4,096 together, 1,024 of them a link; a flooder forgets its own")
  func strangers() {
    var table = ReceivedMessages()
    func meet(_ value: Int, on link: UInt32) {
      let record = ReceivedRecord(
        sender: ModelCryptography.keys(of: UInt64(value)), messageID: id(value), time: .zero)
      table.record(
        record, packet: PacketID(id(value)), isPinned: false, link: LinkID(link), now: now)
    }
    func isKnown(_ value: Int) -> Bool {
      let record = ReceivedRecord(
        sender: ModelCryptography.keys(of: UInt64(value)), messageID: id(value), time: .zero)
      let verdict = table.judge(
        record, packet: PacketID(id(value)), isPinned: false, link: LinkID(9), now: now)
      return verdict != .new
    }
    for value in 1...10 { meet(value, on: 1) }
    for value in 10_001...11_500 { meet(value, on: 2) }
    #expect(table.strangersCount == 1_034)
    #expect((1...10).allSatisfy { isKnown($0) })
    #expect(!isKnown(10_476))
    #expect(isKnown(10_477))
    for link in 3...6 as ClosedRange<UInt32> {
      for value in 1...1_024 { meet(Int(link) * 100_000 + value, on: link) }
    }
    #expect(table.strangersCount == 4_096)
    #expect((1...10).allSatisfy { isKnown($0) }, "who says little is never pushed out")
  }
}
