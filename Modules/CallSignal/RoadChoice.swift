internal import Wire

/// Which roads the frames of a call take (PROTOCOL, section 7).
///
/// Both, until a frame has come directly; then the direct one alone, while a frame came by it
/// within the last 2.5 s. Because a direct road can work one way only, the other side says when it
/// is deaf, and the mesh is used too for a time.
struct RoadChoice: Sendable {
  /// For how long a frame shows that the direct road works.
  static let directLifetime: Duration = .milliseconds(2_500)
  /// For how long a frame shows that the other side is behind a link.
  static let linkLifetime: Duration = .seconds(1)
  /// How long the mesh is used too after a deaf signal; doubled up to the last.
  static let deafSpans: ClosedRange<Duration> = .seconds(10)...(.seconds(160))

  /// Whether there is an address that frames can be sent to directly.
  var hasDirectAddress = false
  private var directHeard: Instant?
  private var directWindow = ReplayWindow()
  /// When the other side was last heard on a link; of links that are up.
  private var links: [(link: LinkID, heard: Instant)] = []
  private var newestDeaf: Timestamp?
  private var deafUntil: Instant?
  private var deafSpan = deafSpans.lowerBound
  /// Whether a frame went out without the mesh since the last deaf signal.
  private var leftMesh = false

  // MARK: What was heard

  /// A frame opened that came in on `link`, be it for the first time or a copy.
  mutating func heard(on link: LinkID, at now: Instant) {
    if let index = links.firstIndex(where: { $0.link == link }) {
      links[index].heard = now
    } else {
      links.append((link, now))
    }
  }

  /// A frame opened that came directly.
  ///
  /// One that the mesh brought first counts as well, or a direct road that is always a little
  /// slower would never be enough; the same one twice does not, or a recording would do for a road.
  ///
  /// - Returns: whether it counted.
  @discardableResult
  mutating func heardDirectly(_ sequence: UInt32, at now: Instant) -> Bool {
    guard directWindow.note(sequence) == .fresh else { return false }
    directHeard = now
    return true
  }

  /// The other side hears nothing, as a signal of this time says.
  mutating func heardDeaf(_ time: Timestamp, at now: Instant) {
    if let newestDeaf, time <= newestDeaf { return }
    if newestDeaf != nil, leftMesh {
      deafSpan = min(deafSpan * 2, Self.deafSpans.upperBound)
    }
    newestDeaf = time
    leftMesh = false
    deafUntil = now + deafSpan
  }

  mutating func linkDown(_ link: LinkID) { links.removeAll { $0.link == link } }

  // MARK: The choice

  /// Until when the direct road is known to work, which may be over; nil while it never was.
  var directUntil: Instant? {
    hasDirectAddress ? directHeard.map { $0 + Self.directLifetime } : nil
  }

  /// The road that carries: the direct one while it is known to work.
  func carrier(at now: Instant) -> Road { directUntil.map { now < $0 } == true ? .direct : .mesh }

  /// The roads of a frame that goes out now.
  mutating func choose(at now: Instant) -> (mesh: CallTransmission.MeshRoad, isDirect: Bool) {
    let isDeaf = deafUntil.map { now < $0 } ?? false
    guard carrier(at: now) == .mesh || isDeaf else {
      leftMesh = true
      return (.none, true)
    }
    links.removeAll { now - $0.heard > Self.linkLifetime }
    return (links.isEmpty ? .everyLink : .links(links.map(\.link)), hasDirectAddress)
  }
}
