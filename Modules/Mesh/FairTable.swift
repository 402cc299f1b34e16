internal import Wire

/// A bounded table that no single link can fill.
///
/// Each entry belongs to the link it came in on. A link over its share pushes out its own least
/// recently used entry; when the whole table is full, the link that holds most loses one. So a peer
/// that makes up names, identities or messages without end forgets its own, not other people's.
struct FairTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Slot: Sendable {
    var value: Value
    var link: LinkID
    var lastUse: UInt64
  }

  let capacity: Int
  /// The most entries that one link may hold.
  let share: Int
  private var slots: [Key: Slot] = [:]
  private var held: [LinkID: Int] = [:]
  private var uses: UInt64 = 0

  init(capacity: Int, share: Int) {
    precondition(0 < share && share <= capacity, "a share within the capacity")
    self.capacity = capacity
    self.share = share
  }

  var count: Int { slots.count }

  var entries: some Sequence<(key: Key, value: Value)> {
    slots.lazy.map { (key: $0.key, value: $0.value.value) }
  }

  subscript(key: Key) -> Value? { slots[key]?.value }

  /// Puts a value in, or in place of the one that is there, as heard on `link`.
  ///
  /// - Returns: the entry that had to go for it, if one had to.
  @discardableResult
  mutating func set(_ value: Value, for key: Key, on link: LinkID) -> (key: Key, value: Value)? {
    var evicted: (key: Key, value: Value)?
    if let old = slots[key] {
      release(old.link)
    } else if held[link, default: 0] >= share {
      evicted = evictOldest(of: link)
    } else if slots.count >= capacity, let fullest = held.max(by: isFuller)?.key {
      evicted = evictOldest(of: fullest)
    }
    uses += 1
    slots[key] = Slot(value: value, link: link, lastUse: uses)
    held[link, default: 0] += 1
    return evicted
  }

  /// Changes a value in place, counting as a use; nothing when it is not there.
  mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard var slot = slots[key] else { return }
    uses += 1
    slot.lastUse = uses
    change(&slot.value)
    slots[key] = slot
  }

  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    guard let slot = slots.removeValue(forKey: key) else { return nil }
    release(slot.link)
    return slot.value
  }

  /// Orders by what is held; of two equal ones the older link is the fuller.
  private func isFuller(_ a: (key: LinkID, value: Int), _ b: (key: LinkID, value: Int)) -> Bool {
    (a.value, b.key) < (b.value, a.key)
  }

  private mutating func evictOldest(of link: LinkID) -> (key: Key, value: Value)? {
    let oldest = slots.lazy.filter { $0.value.link == link }
      .min { $0.value.lastUse < $1.value.lastUse }
    guard let key = oldest?.key, let value = remove(key) else { return nil }
    return (key, value)
  }

  private mutating func release(_ link: LinkID) {
    guard let count = held[link] else { return }
    held[link] = count > 1 ? count - 1 : nil
  }
}
