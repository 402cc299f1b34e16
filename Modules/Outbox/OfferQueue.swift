internal import Wire

/// What is still to be offered on one link in its session.
struct OfferQueue: Sendable {
  /// Sequence numbers of messages, oldest first, no more than the outbox holds.
  private(set) var owed: [UInt64]
  /// The link's next turn.
  private(set) var notBefore: Instant

  init(owed: [UInt64], notBefore: Instant) {
    self.owed = owed
    self.notBefore = notBefore
  }

  /// The link has had this message, or it is gone.
  mutating func settle(_ sequence: UInt64) {
    let index = owed.partitioningIndex { $0 >= sequence }
    if index < owed.count, owed[index] == sequence { owed.remove(at: index) }
  }

  /// The link is to have this message after all.
  mutating func owe(_ sequence: UInt64) {
    let index = owed.partitioningIndex { $0 >= sequence }
    if index == owed.count || owed[index] != sequence { owed.insert(sequence, at: index) }
  }

  mutating func hold(until instant: Instant) { notBefore = max(notBefore, instant) }
}

extension Array {
  /// The first index whose element is `isAfter`, all elements that are being at the end.
  func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
