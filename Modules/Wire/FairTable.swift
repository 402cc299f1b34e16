/// A bounded table that no single link can fill.
///
/// Each entry belongs to the link it first came in on. A link over its share pushes out its own
/// least recently used entry; when the whole table is full, the link that holds most loses one. So
/// a peer that makes up names, identities or messages without end forgets its own, not other
/// people's; nor does it come to own what another link brought by saying it again.
package struct FairTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// An entry, in the list of those of its link from the least to the most recently used.
  private struct Slot: Sendable {
    let key: Key
    var value: Value
    var owner: LinkID
    var older: Int?
    var newer: Int?
  }

  private struct Owner: Sendable {
    var count = 0
    var oldest: Int?
    var newest: Int?
    /// Its link went down: what another link brings again is that one's from then on.
    var isGone = false
  }

  package let capacity: Int
  /// The most entries that one link may hold.
  package let share: Int
  /// Without gaps: the last one moves to where one was taken out.
  private var slots: [Slot] = []
  private var places: [Key: Int] = [:]
  private var owners: [LinkID: Owner] = [:]

  package init(capacity: Int, share: Int) {
    precondition(0 < share && share <= capacity, "a share within the capacity")
    self.capacity = capacity
    self.share = share
  }

  package var count: Int { slots.count }

  /// Every entry, in an order that is the same after the same history.
  package var entries: some Sequence<(key: Key, value: Value)> {
    slots.lazy.map { (key: $0.key, value: $0.value) }
  }

  package subscript(key: Key) -> Value? { places[key].map { slots[$0].value } }

  /// Puts a value in, or in place of the one that is there, as heard on `link`.
  ///
  /// - Returns: the entry that had to go for it, if one had to.
  @discardableResult
  package mutating func set(_ value: Value, for key: Key, on link: LinkID) -> (
    key: Key, value: Value
  )? {
    if let place = places[key] {
      guard owners[slots[place].owner]?.isGone == true else {
        slots[place].value = value
        use(place)
        return nil
      }
      take(place)
    }
    let evicted = makeRoom(for: link)
    slots.append(Slot(key: key, value: value, owner: link))
    places[key] = slots.count - 1
    append(slots.count - 1)
    return evicted
  }

  /// Changes a value in place, counting as a use; nothing when it is not there.
  package mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard let place = places[key] else { return }
    change(&slots[place].value)
    use(place)
  }

  @discardableResult
  package mutating func remove(_ key: Key) -> Value? { places[key].map { take($0).value } }

  /// The link went down and is never heard again.
  package mutating func linkDown(_ link: LinkID) { owners[link]?.isGone = true }

  // MARK: Who has to go

  private mutating func makeRoom(for link: LinkID) -> (key: Key, value: Value)? {
    var owner = link
    if (owners[link]?.count ?? 0) < share {
      guard slots.count >= capacity, let fullest = owners.max(by: isFuller)?.key else {
        return nil
      }
      owner = fullest
    }
    guard let oldest = owners[owner]?.oldest else { return nil }
    let slot = take(oldest)
    return (slot.key, slot.value)
  }

  /// Orders by what is held; of two equal ones the older link is the fuller.
  private func isFuller(_ a: (key: LinkID, value: Owner), _ b: (key: LinkID, value: Owner)) -> Bool
  {
    (a.value.count, b.key) < (b.value.count, a.key)
  }

  // MARK: The lists

  /// Takes an entry out; the last one moves to its place.
  @discardableResult
  private mutating func take(_ place: Int) -> Slot {
    unlink(place)
    let slot = slots[place]
    places[slot.key] = nil
    let last = slots.removeLast()
    if place < slots.count {
      slots[place] = last
      places[last.key] = place
      relink(place)
    }
    return slot
  }

  private mutating func use(_ place: Int) {
    guard slots[place].newer != nil else { return }
    unlink(place)
    append(place)
  }

  /// Makes an entry the most recently used one of its link.
  private mutating func append(_ place: Int) {
    var owner = owners[slots[place].owner] ?? Owner()
    slots[place].older = owner.newest
    slots[place].newer = nil
    if let newest = owner.newest { slots[newest].newer = place } else { owner.oldest = place }
    owner.newest = place
    owner.count += 1
    owners[slots[place].owner] = owner
  }

  private mutating func unlink(_ place: Int) {
    let slot = slots[place]
    guard var owner = owners[slot.owner] else { return }
    if let older = slot.older { slots[older].newer = slot.newer } else { owner.oldest = slot.newer }
    if let newer = slot.newer { slots[newer].older = slot.older } else { owner.newest = slot.older }
    owner.count -= 1
    owners[slot.owner] = owner.count > 0 ? owner : nil
  }

  /// Tells an entry's neighbours where it stands now.
  private mutating func relink(_ place: Int) {
    let slot = slots[place]
    if let older = slot.older {
      slots[older].newer = place
    } else {
      owners[slot.owner]?.oldest = place
    }
    if let newer = slot.newer {
      slots[newer].older = place
    } else {
      owners[slot.owner]?.newest = place
    }
  }
}
