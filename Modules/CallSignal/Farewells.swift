internal import Wire

/// Declines and ends under way: each is sent three times, for the first may be lost and nobody
/// confirms it (PROTOCOL, section 7).
struct Farewells: Sendable {
  static let sendings = 3
  static let interval: Duration = .milliseconds(500)
  /// Those that are said again; what is over is said once.
  static let capacity = 32

  private struct Farewell: Sendable {
    let signal: CallSignal
    let party: CallParty
    var left: Int
    var due: Instant
  }

  private var farewells: [Farewell] = []

  var count: Int { farewells.count }
  var deadline: Instant? { farewells.lazy.map(\.due).min() }

  /// Takes a signal that is being sent for the first time.
  ///
  /// - Returns: false when it is under way already, and will be said again in any case.
  mutating func begin(_ signal: CallSignal, to party: CallParty, at now: Instant) -> Bool {
    if farewells.contains(where: { $0.signal == signal && $0.party.keys == party.keys }) {
      return false
    }
    if farewells.count >= Self.capacity {
      guard party.isPinned, let stranger = farewells.firstIndex(where: { !$0.party.isPinned })
      else { return true }
      farewells.remove(at: stranger)
    }
    farewells.append(
      Farewell(signal: signal, party: party, left: Self.sendings - 1, due: now + Self.interval))
    return true
  }

  /// Takes the signals that are due again.
  mutating func takeDue(at now: Instant) -> [(signal: CallSignal, to: PublicKeys)] {
    var due: [(signal: CallSignal, to: PublicKeys)] = []
    for index in farewells.indices where farewells[index].due <= now {
      due.append((farewells[index].signal, farewells[index].party.keys))
      farewells[index].left -= 1
      farewells[index].due = now + Self.interval
    }
    farewells.removeAll { $0.left == 0 }
    return due
  }
}
