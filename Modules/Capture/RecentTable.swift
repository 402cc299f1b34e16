/// What a `RecentTable` holds.
protocol Remembered: AnyObject {
  /// The record that it was used by last, and the one it was made by.
  var lastRecord: Int { get set }
  var firstRecord: Int { get }
}

/// A table with a bound, which forgets first what was not used for longest.
struct RecentTable<Key: Hashable, Value: Remembered> {
  let capacity: Int
  private var values: [Key: Value] = [:]
  /// Records of one connection mostly come in a row.
  private var latestKey: Key?
  private var latest: Value?

  init(capacity: Int) { self.capacity = capacity }

  /// The value of `key`, which is used by `record` now.
  mutating func use(_ key: Key, by record: Int) -> Value? {
    if let latest, latestKey == key {
      latest.lastRecord = record
      return latest
    }
    guard let value = values[key] else { return nil }
    value.lastRecord = record
    remember(value, key)
    return value
  }

  /// Remembers a new value.
  ///
  /// - Returns: what is forgotten for it, in the order it was made.
  mutating func insert(_ value: Value, for key: Key) -> [Value] {
    var forgotten: [Value] = []
    if values.count >= capacity {
      // An eighth at once, so that the search is not for every new one.
      let leaving = values.sorted { $0.value.lastRecord < $1.value.lastRecord }
        .prefix(max(1, capacity / 8))
      for (key, _) in leaving { values[key] = nil }
      forgotten = leaving.map(\.value).sorted { $0.firstRecord < $1.firstRecord }
    }
    values[key] = value
    remember(value, key)
    return forgotten
  }

  mutating func remove(_ key: Key) {
    values[key] = nil
    if latestKey == key {
      latestKey = nil
      latest = nil
    }
  }

  private mutating func remember(_ value: Value, _ key: Key) {
    latestKey = key
    latest = value
  }

  /// All values in the order they were made.
  var all: [Value] { values.values.sorted { $0.firstRecord < $1.firstRecord } }
}
