internal import Wire

/// Keys that claim numbers which are pinned with others (PROTOCOL, section 1).
struct KeyConflicts: Sendable {
  /// Keys remembered for one number; who makes up more is not warned of again.
  static let maximumPerNumber = 16
  /// Keys remembered that the user decided against.
  static let maximumRejected = 256

  /// For numbers that the user has not decided about, the claimants in the order they came.
  private var claims: [Number: [PublicKeys]] = [:]
  /// Oldest first.
  private var rejected: [PublicKeys] = []

  /// Numbers that wait for the user's decision.
  var count: Int { claims.count }
  var rejectedCount: Int { rejected.count }

  /// Whether the user has yet to decide who has this number.
  func isOpen(_ number: Number) -> Bool { claims[number] != nil }

  func claimants(of number: Number) -> [PublicKeys] { claims[number] ?? [] }

  /// Takes in that these keys claim a number that is pinned with others.
  ///
  /// - Returns: whether the user has to be told.
  mutating func note(_ keys: PublicKeys, _ number: Number) -> Bool {
    let known = claimants(of: number)
    guard !rejected.contains(keys), !known.contains(keys), known.count < Self.maximumPerNumber
    else { return false }
    claims[number] = known + [keys]
    return true
  }

  /// The user decided for `keys`, and against the others that claim the number or had it.
  mutating func settle(_ number: Number, for keys: PublicKeys, against former: PublicKeys?) {
    rejected.removeAll { $0 == keys }
    for other in (claims.removeValue(forKey: number) ?? []) + (former.map { [$0] } ?? [])
    where other != keys {
      rejected.removeAll { $0 == other }
      rejected.append(other)
    }
    rejected.removeFirst(max(0, rejected.count - Self.maximumRejected))
  }
}
