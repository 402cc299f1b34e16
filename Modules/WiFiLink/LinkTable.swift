internal import Discovery
internal import Wire

/// One host, as far as an address tells.
enum HostKey: Hashable, Sendable {
  /// This machine, whichever of its addresses was used.
  case ourselves
  case other(IPAddress)

  init(local: Endpoint, remote: Endpoint) {
    // To its own addresses, a machine speaks from the same address.
    let isOwn = remote.address.isLoopback || remote.address == local.address
    self = isOwn ? .ourselves : .other(remote.address)
  }
}

/// The links that live, and who of those that others make is let in.
///
/// What has shown no packet yet makes room for what comes: hundreds of connections, or a byte a
/// second on each, cost those who make them.
struct LinkTable: Sendable {
  struct Entry: Sendable {
    let id: LinkID
    /// Whom it was dialled for; nil for a connection that the other side made.
    let target: Target?
    let local: Endpoint
    let remote: Endpoint
    let upAt: Instant
    /// Whether those above know of it.
    var isAnnounced: Bool
    /// Whether a whole packet came.
    var isProved = false
    /// Who is at the other end, by their own claim.
    var claim: Fingerprint?
    var probedUntil: Instant?

    var host: HostKey { HostKey(local: local, remote: remote) }
    var isAccepted: Bool { target == nil }
  }

  enum Admission: Hashable, Sendable {
    case admitted
    /// Let in once this one is closed.
    case admittedInsteadOf(LinkID)
    case refused
  }

  private(set) var entries: [LinkID: Entry] = [:]
  private(set) var acceptedCount = 0
  /// Accepted connections by host.
  private var perHost: [HostKey: Int] = [:]

  subscript(link: LinkID) -> Entry? { entries[link] }

  /// All links, oldest first.
  var inOrder: [Entry] { entries.values.sorted { $0.id < $1.id } }

  /// What becomes of a connection that another host has made.
  func admission(ofHost host: HostKey, limits: WiFiLimits) -> Admission {
    let ofHost = perHost[host] ?? 0
    if host != .ourselves, ofHost >= limits.acceptedPerHost {
      return oldestUnproved { $0.host == host }.map { .admittedInsteadOf($0.id) } ?? .refused
    }
    if acceptedCount < limits.accepted { return .admitted }
    if let victim = oldestUnproved(where: { _ in true }) { return .admittedInsteadOf(victim.id) }
    // All have shown a packet: the host that has most gives its youngest, unless it would then
    // have fewer than the newcomer's.
    guard let greedy = perHost.max(by: { $0.value < $1.value }), greedy.value > ofHost + 1
    else { return .refused }
    let victim = entries.values.filter { $0.isAccepted && $0.host == greedy.key }
      .max { $0.id < $1.id }
    return victim.map { .admittedInsteadOf($0.id) } ?? .refused
  }

  /// The accepted connection that has been longest without showing a packet.
  func oldestUnproved(where matches: (Entry) -> Bool = { _ in true }) -> Entry? {
    entries.values.filter { $0.isAccepted && !$0.isProved && matches($0) }.min { $0.id < $1.id }
  }

  mutating func insert(_ entry: Entry) {
    entries[entry.id] = entry
    guard entry.isAccepted else { return }
    acceptedCount += 1
    perHost[entry.host, default: 0] += 1
  }

  @discardableResult
  mutating func remove(_ link: LinkID) -> Entry? {
    guard let entry = entries.removeValue(forKey: link) else { return nil }
    guard entry.isAccepted else { return entry }
    acceptedCount -= 1
    let left = (perHost[entry.host] ?? 1) - 1
    perHost[entry.host] = left > 0 ? left : nil
    return entry
  }

  mutating func update(_ link: LinkID, _ change: (inout Entry) -> Void) {
    if var entry = entries[link] {
      change(&entry)
      entries[link] = entry
    }
  }

  /// The other half of a connection that this node made to itself.
  func otherEnd(local: Endpoint, remote: Endpoint) -> Entry? {
    entries.values.first { $0.local == remote && $0.remote == local }
  }
}
