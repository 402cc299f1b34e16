internal import Discovery
internal import Wire

/// Where the other side of a call may be reached directly.
///
/// What discovery says is a guess, and there may be several: an address for each interface and
/// protocol. A frame had for the first time shows which one works; it is used alone for as long as it
/// goes on showing that. One that a link brought first only hints at where its sender is, for
/// whoever hears our packets could have copied it across.
struct RoadAddresses: Sendable {
  /// Guesses that frames are sent to at once; more would be one more way to have us flood others.
  static let maximumGuesses = 8
  /// Hints that frames are sent to at once: another's copies must not keep out the other side's own.
  static let maximumHints = 2
  /// How long a frame shows that its sender is there: as long as it holds the call to this road
  /// (PROTOCOL, section 7).
  static let proofLifetime: Duration = .milliseconds(2_500)

  private var guesses: [Endpoint] = []
  private var hints: [Endpoint] = []
  private var proven: (endpoint: Endpoint, at: Instant)?

  var isEmpty: Bool { guesses.isEmpty && hints.isEmpty && proven == nil }

  /// Discovery says that the other side is there.
  mutating func guess(_ endpoint: Endpoint) {
    guard endpoint.port > 0, endpoint.address.isUnicast, !guesses.contains(endpoint) else { return }
    guesses.append(endpoint)
    if guesses.count > Self.maximumGuesses { guesses.removeFirst() }
  }

  /// A frame came from there that a link had brought already.
  mutating func hint(at endpoint: Endpoint, at now: Instant) {
    if let proven, now - proven.at < Self.proofLifetime { return }
    guard endpoint.port > 0, endpoint.address.isUnicast, !guesses.contains(endpoint),
      !hints.contains(endpoint)
    else { return }
    hints.append(endpoint)
    if hints.count > Self.maximumHints { hints.removeFirst() }
  }

  /// A frame came from there that was had for the first time.
  mutating func prove(_ endpoint: Endpoint, at now: Instant) { proven = (endpoint, now) }

  /// Where a frame goes now.
  func targets(at now: Instant) -> [Endpoint] {
    let possible = guesses + hints.filter { !guesses.contains($0) }
    guard let proven else { return possible }
    if now - proven.at < Self.proofLifetime { return [proven.endpoint] }
    return [proven.endpoint] + possible.filter { $0 != proven.endpoint }
  }
}
