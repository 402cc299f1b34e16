/// Numbers with a value each, forgotten some time between one lifetime and two after they were put
/// in.
///
/// Two open-addressed tables that take turns: what the older one holds goes all at once, so a day of
/// packets costs the memory of an hour.
struct RecentTable {
  private struct Table {
    /// 0 is an empty place.
    var keys: ContiguousArray<UInt64> = [0, 0, 0, 0]
    var values: ContiguousArray<UInt64> = [0, 0, 0, 0]
    var count = 0

    func place(of key: UInt64) -> (index: Int, isThere: Bool) {
      let mask = keys.count - 1
      var index = Int(truncatingIfNeeded: key ^ key >> 32) & mask
      while keys[index] != 0 {
        if keys[index] == key { return (index, true) }
        index = (index + 1) & mask
      }
      return (index, false)
    }

    mutating func set(_ key: UInt64, _ value: UInt64) {
      let (index, isThere) = place(of: key)
      values[index] = value
      guard !isThere else { return }
      keys[index] = key
      count += 1
      if count * 2 > keys.count { grow() }
    }

    private mutating func grow() {
      let (oldKeys, oldValues) = (keys, values)
      keys = ContiguousArray(repeating: 0, count: oldKeys.count * 2)
      values = ContiguousArray(repeating: 0, count: oldKeys.count * 2)
      for (index, key) in oldKeys.enumerated() where key != 0 {
        let (place, _) = place(of: key)
        keys[place] = key
        values[place] = oldValues[index]
      }
    }
  }

  /// Nanoseconds.
  let lifetime: Int64
  private var young = Table()
  private var old = Table()
  private var turnedAt: Int64 = 0

  init(lifetime: Int64) { self.lifetime = lifetime }

  func value(of key: UInt64) -> UInt64? {
    let key = key | 1 << 63
    let place = young.place(of: key)
    if place.isThere { return young.values[place.index] }
    let older = old.place(of: key)
    return older.isThere ? old.values[older.index] : nil
  }

  mutating func set(_ key: UInt64, _ value: UInt64, at now: Int64) {
    if now - turnedAt >= lifetime {
      old = young
      young = Table()
      turnedAt = now
    }
    young.set(key | 1 << 63, value)
  }
}

/// Mixes two words into one that has little to do with either (the finaliser of SplitMix64).
@inline(__always)
func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
  var word = a &* 0x9E37_79B9_7F4A_7C15 ^ b
  word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
  word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
  return word ^ (word >> 31)
}
