import Testing
import Wire

@testable import MeshSim

@Suite("event queue") struct EventQueueTests {
  private func event(_ number: UInt32) -> Event { Event(kind: .wake, device: number) }

  @Test("events come by their time, those of one time in the order they were put in")
  func order() {
    var queue = EventQueue()
    for (number, time) in [5, 3, 5, 1, 3, 5].enumerated() {
      queue.push(event(UInt32(number)), at: Int64(time))
    }
    #expect(queue.nextTime == 1)
    var out: [UInt32] = []
    while let next = queue.pop() { out.append(next.event.device) }
    #expect(out == [3, 1, 4, 0, 2, 5])
    #expect(queue.nextTime == nil)
    #expect(queue.pop() == nil)
  }

  @Test("whatever is put in and taken out in whatever order", arguments: seeds(20))
  func anyOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = EventQueue()
    var expected: [(time: Int64, number: UInt32)] = []
    for number in 0..<2_000 as Range<UInt32> {
      let time = Int64.random(in: 0..<50, using: &random)
      queue.push(event(number), at: time)
      let place = expected.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
      expected.insert((time, number), at: place)
      while Int.random(in: 0..<3, using: &random) == 0, !expected.isEmpty {
        let next = queue.pop()
        let wanted = expected.removeFirst()
        #expect(next?.event.device == wanted.number, "AIRLINK_SEED=\(seed)")
        #expect(next?.time == wanted.time)
      }
    }
    #expect(queue.count == expected.count)
  }
}

@Suite("recent table") struct RecentTableTests {
  @Test("a value is there for a lifetime at the least and gone after two")
  func lifetime() {
    var table = RecentTable(lifetime: 100)
    table.set(1, 11, at: 0)
    table.set(2, 22, at: 99)
    #expect(table.value(of: 1) == 11)
    table.set(3, 33, at: 100)
    #expect(table.value(of: 1) == 11)
    #expect(table.value(of: 2) == 22)
    table.set(4, 44, at: 200)
    #expect(table.value(of: 1) == nil)
    #expect(table.value(of: 3) == 33)
    table.set(3, 34, at: 200)
    #expect(table.value(of: 3) == 34)
  }

  @Test("as many as come are found, and no others")
  func many() {
    var table = RecentTable(lifetime: .max)
    for key in 0..<5_000 as Range<UInt64> { table.set(mixed(key, 0), key, at: 0) }
    #expect((0..<5_000 as Range<UInt64>).allSatisfy { table.value(of: mixed($0, 0)) == $0 })
    #expect((5_000..<10_000 as Range<UInt64>).allSatisfy { table.value(of: mixed($0, 0)) == nil })
  }
}
