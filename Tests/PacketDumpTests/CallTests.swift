import Capture
import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: calls") struct CallTests {
  private static let ada = Fingerprint(value: 0x0102_0304_0506_0708)
  private static let ben = Fingerprint(value: 0x1112_1314_1516_1718)

  private func frame(_ sequence: UInt32, _ speaker: UInt8 = 1) -> [UInt8] {
    let number = withUnsafeBytes(of: sequence.bigEndian) { Array($0) }
    return number + [UInt8](repeating: speaker ^ UInt8(truncatingIfNeeded: sequence), count: 60)
  }

  private func note(
    _ table: inout CallTable, _ sequence: UInt32, _ speaker: UInt8 = 1, at milliseconds: Int64,
    link: Int = 0, _ direction: Direction?, to destination: Fingerprint?
  ) {
    let crossing = Crossing(
      record: 1, time: CaptureTime(nanoseconds: milliseconds * 1_000_000), link: link,
      direction: direction)
    frame(sequence, speaker).withUnsafeBytes { table.note($0.bytes, crossing, to: destination) }
  }

  @Test("both directions are one call, each with its own losses and jitter")
  func directions() {
    var table = CallTable()
    for step in 0..<100 as Range<UInt32> {
      if step % 10 != 3 {
        note(&table, step, at: Int64(step) * 20, .outbound, to: Self.ben)
      }
      let late: Int64 = step.isMultiple(of: 2) ? 10 : 0
      note(&table, step, 7, at: Int64(step) * 20 + late, .inbound, to: Self.ada)
    }
    #expect(table.voices.map(\.call) == [1, 1])
    #expect(table.voices.map(\.destination) == [Self.ben, Self.ada])
    #expect(table.voices.map(\.flow.frames) == [90, 100])
    #expect(table.voices.map(\.flow.lost) == [10, 0])
    #expect(table.voices[0].flow.lossPercent == 10)
    #expect(table.voices[0].flow.jitter == 0)
    // Each transit differs from the one before by 10 ms.
    #expect(abs(table.voices[1].flow.jitter - 10) < 0.1)
    #expect(table.voices.map(\.flow.milliseconds) == [1_980, 1_970])
  }

  @Test("a frame that comes by both roads is one, and ties the roads together")
  func roads() {
    var table = CallTable()
    for step in 0..<50 as Range<UInt32> {
      let time = Int64(step) * 20
      if step < 30 { note(&table, step, at: time, .outbound, to: Self.ben) }
      if step > 20 { note(&table, step, at: time + 1, link: 4, .outbound, to: nil) }
    }
    #expect(table.voices.count == 1)
    #expect(table.voices[0].flow.frames == 50)
    #expect(table.voices[0].flow.copies == 9)
    #expect(table.voices[0].flow.lost == 0)
    #expect(table.voices[0].links == [0, 4])
  }

  @Test("roads are tied together whichever of its ends a link names first")
  func otherWayRound() {
    var table = CallTable()
    for step in 0..<20 as Range<UInt32> {
      let time = Int64(step) * 20
      if step < 12 {
        note(&table, step, at: time, .outbound, to: Self.ben)
        note(&table, step, 7, at: time, .inbound, to: Self.ada)
      }
      guard step > 8 else { continue }
      note(&table, step, at: time, link: 4, .inbound, to: nil)
      note(&table, step, 7, at: time, link: 4, .outbound, to: nil)
    }
    #expect(table.voices.map(\.call) == [1, 1])
    #expect(table.voices.map(\.flow.frames) == [20, 20])
    #expect(table.voices.map(\.flow.copies) == [3, 3])
    #expect(table.voices.map(\.links) == [[0, 4], [0, 4]])
  }

  @Test("a side that leaves the mesh at once is tied to its call by the other side")
  func answered() {
    var table = CallTable()
    for step in 0..<20 as Range<UInt32> {
      let time = Int64(step) * 20
      if step < 12 { note(&table, step, at: time, .outbound, to: Self.ben) }
      if step > 8 { note(&table, step, at: time, link: 4, .inbound, to: nil) }
      if step < 10 {
        note(&table, step, 7, at: time, .inbound, to: Self.ada)
      } else {
        note(&table, step, 7, at: time, link: 4, .outbound, to: nil)
      }
    }
    #expect(table.voices.map(\.call) == [1, 1])
    #expect(table.voices.map(\.flow.frames) == [20, 20])
    #expect(table.voices.map(\.destination) == [Self.ben, Self.ada])
  }

  @Test("frames that a node fills in without sound come ten times as slowly, and are no jitter")
  func fillers() {
    var flow = VoiceFlow()
    var time: Int64 = 0
    for sequence in 0..<40 as Range<UInt32> {
      let isFiller = sequence < 20
      flow.note(sequence, isFiller: isFiller, at: time)
      time += isFiller ? 200_000_000 : 20_000_000
    }
    #expect(flow.jitter == 0 && flow.lost == 0)
  }

  @Test("numbers that begin anew, and voice after a long pause, are another call")
  func another() {
    var table = CallTable()
    note(&table, 5_000, at: 0, .outbound, to: Self.ben)
    note(&table, 0, at: 20, .outbound, to: Self.ben)
    note(&table, 1, at: 120_000, .outbound, to: Self.ben)
    #expect(table.voices.map(\.call) == [1, 2, 3])
  }

  @Test("frames in another order, and late ones, are counted once")
  func order() {
    var flow = VoiceFlow()
    for sequence in [10, 12, 11, 11, 9, 200, 12] as [UInt32] { flow.note(sequence, at: nil) }
    #expect(flow.frames == 5)
    #expect(flow.copies == 2)
    #expect(flow.lost == 200 - 9 + 1 - 5)
    #expect(flow.milliseconds == nil)
  }

  @Test("the table is bounded")
  func bounded() {
    var table = CallTable()
    for place in 0..<UInt64(2_000) {
      note(&table, 0, at: 0, .outbound, to: Fingerprint(value: place))
      for step in 1..<4 as Range<UInt32> {
        note(
          &table, step, UInt8(truncatingIfNeeded: place), at: 0, .outbound,
          to: Fingerprint(value: place))
      }
    }
    #expect(table.voices.count <= CallTable.maximumVoices)
  }

  @Test("--stats shows calls, as lines and as objects")
  func statistics() throws {
    let bench = try Bench()
    let records = (0..<10 as Range<UInt32>).map { step in
      (
        link: UInt32(0), direction: UInt32(2),
        packet: Packet(
          kind: .voice, hopLimit: 1, time: Sample.time, id: Sample.packetID(UInt8(step)),
          destination: Self.ada, payload: frame(step * 2))
      )
    }
    let bytes = Sample.capture(["wifi-1"], records)
    let object = try #require(
      try bench.run(bytes, "--stats", "--json").objects().first { $0["of"] as? String == "call" })
    #expect(object["to"] as? String == "0410-6105")
    #expect(object["frames"] as? Int == 10)
    #expect(object["lost"] as? Int == 9)
    #expect(object["lossPercent"] as? Double == 47.37)
    #expect(object["links"] as? [String] == ["wifi-1"])
    #expect(
      try bench.run(bytes, "--stats").output.contains(
        "call 1 to 0410-6105 on wifi-1 out: 10 frames in 13.500 s, 9 lost (47.4 %), jitter "))
  }
}
