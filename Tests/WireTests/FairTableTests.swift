import Testing

@testable import Wire

@Suite("fair table") struct FairTableTests {
  private func keys(_ table: FairTable<Int, Int>) -> Set<Int> { Set(table.entries.map(\.key)) }

  @Test("a link over its share pushes out its own least recently used")
  func share() {
    var table = FairTable<Int, Int>(capacity: 10, share: 3)
    for key in 1...3 { #expect(table.set(key, for: key, on: LinkID(1)) == nil) }
    table.set(100, for: 100, on: LinkID(2))
    table.update(1) { $0 = -1 }
    let evicted = table.set(4, for: 4, on: LinkID(1))
    #expect(evicted?.key == 2)
    #expect(evicted?.value == 2)
    #expect(keys(table) == [1, 3, 4, 100])
    #expect(table[1] == -1)
    #expect(table[2] == nil)
  }

  @Test("when all is full the link that holds most loses one, of equal ones the older")
  func capacity() {
    var table = FairTable<Int, Int>(capacity: 6, share: 4)
    for key in 1...3 { table.set(key, for: key, on: LinkID(1)) }
    for key in 4...6 { table.set(key, for: key, on: LinkID(2)) }
    #expect(table.set(7, for: 7, on: LinkID(3))?.key == 1)
    #expect(table.set(8, for: 8, on: LinkID(3))?.key == 4)
    #expect(table.count == 6)
  }

  @Test("an entry stays with the link that brought it, whoever says it again")
  func ownership() {
    var table = FairTable<Int, Int>(capacity: 10, share: 2)
    table.set(1, for: 1, on: LinkID(1))
    for _ in 0..<5 {
      table.set(1, for: 1, on: LinkID(2))
      table.set(2, for: 2, on: LinkID(2))
      table.set(3, for: 3, on: LinkID(2))
      table.set(4, for: 4, on: LinkID(2))
    }
    #expect(keys(table) == [1, 3, 4])
  }

  @Test("when that link is gone it belongs to the one that says it again, within its share")
  func inheritance() {
    var table = FairTable<Int, Int>(capacity: 10, share: 2)
    table.set(1, for: 1, on: LinkID(1))
    table.set(2, for: 2, on: LinkID(2))
    table.set(3, for: 3, on: LinkID(2))
    table.linkDown(LinkID(1))
    table.linkDown(LinkID(7))
    #expect(table.set(-1, for: 1, on: LinkID(2))?.key == 2)
    #expect(table[1] == -1)
    #expect(keys(table) == [1, 3])
    table.set(4, for: 4, on: LinkID(2))
    #expect(keys(table) == [1, 4])
  }

  @Test("what is taken out is gone, and makes room")
  func removal() {
    var table = FairTable<Int, Int>(capacity: 3, share: 3)
    for key in 1...3 { table.set(key, for: key, on: LinkID(1)) }
    #expect(table.remove(2) == 2)
    #expect(table.remove(2) == nil)
    #expect(table.set(4, for: 4, on: LinkID(1)) == nil)
    #expect(keys(table) == [1, 3, 4])
    table.update(2) { $0 = 9 }
    #expect(table[2] == nil)
  }

  /// The same by plain lists: for each link its keys, least recently used first.
  private struct Model {
    let capacity: Int
    let share: Int
    var values: [Int: Int] = [:]
    var lists: [LinkID: [Int]] = [:]
    var gone: Set<LinkID> = []

    func owner(_ key: Int) -> LinkID? { lists.first { $0.value.contains(key) }?.key }

    mutating func take(_ key: Int) {
      guard let owner = owner(key) else { return }
      lists[owner]?.removeAll { $0 == key }
      if lists[owner]?.isEmpty == true {
        lists[owner] = nil
        gone.remove(owner)
      }
    }

    mutating func set(_ value: Int, _ key: Int, _ link: LinkID) -> Int? {
      var link = link
      var evicted: Int?
      if let owner = owner(key) {
        if gone.contains(owner) {
          take(key)
          evicted = makeRoom(link)
        } else {
          link = owner
          lists[owner]?.removeAll { $0 == key }
        }
      } else {
        evicted = makeRoom(link)
      }
      lists[link, default: []].append(key)
      values[key] = value
      return evicted
    }

    mutating func makeRoom(_ link: LinkID) -> Int? {
      let full = lists[link, default: []].count >= share
      let held = lists.values.reduce(0) { $0 + $1.count }
      guard full || held >= capacity else { return nil }
      let fullest = lists.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
      guard let victim = full ? link : fullest, let key = lists[victim]?.first else { return nil }
      take(key)
      values[key] = nil
      return key
    }
  }

  @Test("it does what plain lists do, whatever happens", arguments: 1...50)
  func agreesWithModel(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = FairTable<Int, Int>(capacity: 20, share: 8)
    var model = Model(capacity: 20, share: 8)
    for step in 0..<400 {
      let key = Int.random(in: 0..<60, using: &random)
      let link = LinkID(UInt32.random(in: 0..<5, using: &random))
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        table.remove(key)
        model.take(key)
        model.values[key] = nil
      case 1:
        table.linkDown(link)
        if model.lists[link] != nil { model.gone.insert(link) }
      case 2...5:
        table.update(key) { $0 = step }
        if let owner = model.owner(key) {
          model.lists[owner]?.removeAll { $0 == key }
          model.lists[owner]?.append(key)
          model.values[key] = step
        }
      default:
        #expect(
          table.set(step, for: key, on: link)?.key == model.set(step, key, link),
          "AIRLINK_SEED=\(seed), step \(step)")
      }
      let held = Dictionary(uniqueKeysWithValues: table.entries.map { ($0.key, $0.value) })
      #expect(held == model.values, "AIRLINK_SEED=\(seed), step \(step)")
    }
  }
}
