import Testing
import Wire

@testable import Router

@Suite struct SeenTableTests {
  /// The same table written as plainly as can be.
  private struct Model {
    var entries: [(id: PacketID, hash: UInt64, seenAt: Instant, state: SeenTable.State)] = []
    let capacity: Int
    let lifetime: Duration

    func find(_ id: PacketID, _ hash: UInt64, _ now: Instant) -> Int? {
      entries.firstIndex {
        $0.id == id && $0.hash == hash && now - $0.seenAt <= lifetime && $0.state != .forgotten
      }
    }

    mutating func insert(
      _ id: PacketID, _ hash: UInt64, _ state: SeenTable.State, _ now: Instant
    ) {
      entries.removeAll { now - $0.seenAt > lifetime }
      if entries.count == capacity { entries.removeFirst() }
      entries.append((id, hash, now, state))
    }
  }

  @Test("does what a plain list does, whatever comes", arguments: 0..<300 as Range<UInt64>)
  func againstModel(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let capacity = Int.random(in: 1...40, using: &random)
    let lifetime = Duration.milliseconds(Int.random(in: 1...500, using: &random))
    var table = SeenTable(capacity: capacity, lifetime: lifetime)
    var model = Model(capacity: capacity, lifetime: lifetime)
    var now = Instant.zero
    // Few ids and few hashes, so that they meet; hashes that share their place in the index.
    let hashes = (0..<12).map { UInt64($0 % 3) << 2 | UInt64($0) << 40 }
    for step in 0..<400 {
      now = now + .milliseconds(Int.random(in: 0...20, using: &random))
      let id = PacketID.numbered(UInt64.random(in: 0..<8, using: &random))
      let hash = hashes.randomElement(using: &random) ?? 0
      let expected = model.find(id, hash, now)
      let found = table.find(id, hash: hash, now: now)
      #expect((found != nil) == (expected != nil), "seed \(seed), step \(step)")
      if let found, let expected {
        #expect(table.state(at: found) == model.entries[expected].state, "seed \(seed)")
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          table.setState(.own, at: found)
          model.entries[expected].state = .own
        case 1:
          table.forget(id, hash: hash)
          model.entries[expected].state = .forgotten
        default: break
        }
      } else if expected == nil {
        let state = Bool.random(using: &random) ? SeenTable.State.settled : .unrelayed
        table.insert(id, hash: hash, state: state, now: now)
        model.insert(id, hash, state, now)
      }
      #expect(table.count <= capacity)
    }
  }

  @Test("a clock that goes back leaves no twin and loses nothing")
  func clockBack() {
    var table = SeenTable(capacity: 4, lifetime: .seconds(10))
    let (one, two) = (PacketID.numbered(1), PacketID.numbered(2))
    table.insert(one, hash: 4, state: .settled, now: .zero + .seconds(100))
    table.insert(two, hash: 8, state: .settled, now: .zero)
    #expect(table.find(two, hash: 8, now: .zero + .seconds(50)) == nil)
    table.insert(two, hash: 8, state: .own, now: .zero + .seconds(50))
    #expect(table.find(two, hash: 8, now: .zero + .seconds(50)).map(table.state(at:)) == .own)
    #expect(table.find(one, hash: 4, now: .zero + .seconds(50)) != nil)
    for number in 0..<100 as Range<UInt64> {
      table.insert(.numbered(10 + number), hash: number << 2, state: .settled, now: .zero)
    }
    #expect(table.count == 4)
  }

  @Test("an empty table knows nothing, and one of a single entry works")
  func smallest() {
    var table = SeenTable(capacity: 1, lifetime: .seconds(10))
    #expect(table.find(.numbered(1), hash: 0, now: .zero) == nil)
    table.forget(.numbered(1), hash: 0)
    for number in 0..<50 as Range<UInt64> {
      table.insert(.numbered(number), hash: number << 2, state: .settled, now: .zero)
      #expect(table.find(.numbered(number), hash: number << 2, now: .zero) != nil)
    }
    #expect(table.count == 1)
  }
}
