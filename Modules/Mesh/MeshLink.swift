internal import Wire

/// What the mesh knows of one link that is up.
struct MeshLink: Sendable {
  /// Packets that no honest relay lets pass, before the link is closed: one more is too many.
  static let maximumRefusals = 64
  static let refusalWindow: Duration = .seconds(10)

  let id: LinkID
  /// Equal for links that certainly end at one host, by one transport.
  let endpoint: String
  /// Who the other end claims to be: the sender of the last hello that came with all its hops.
  var claimedBy: PublicKeys?
  /// Changes of who that is that count: one device is one person, whatever is played back to us.
  var claims = TokenBucket(capacity: 4, perSecond: 1)
  var refusals = FaultWindow(limit: maximumRefusals, window: refusalWindow)
  /// Hellos dropped for their age whose signature is verified all the same, to judge our clock.
  var clockChecks = TokenBucket(capacity: 10, perSecond: 1)
  /// Set once the mesh wanted it closed.
  var fault: LinkFault?

  init(id: LinkID, endpoint: String) {
    self.id = id
    self.endpoint = endpoint
  }
}

/// The links that are up, in their order.
struct MeshLinks: Sendable {
  /// Lent to effects as it is, so that sending on every link copies nothing.
  private(set) var ids: [LinkID] = []
  private var links: [MeshLink] = []

  var count: Int { ids.count }
  var isEmpty: Bool { ids.isEmpty }
  var all: [MeshLink] { links }

  subscript(index: Int) -> MeshLink {
    get { links[index] }
    _modify { yield &links[index] }
  }

  func index(of link: LinkID) -> Int? {
    let index = place(of: link)
    return index < ids.count && ids[index] == link ? index : nil
  }

  /// False when it is up already.
  mutating func add(_ link: MeshLink) -> Bool {
    let index = place(of: link.id)
    if index < ids.count, ids[index] == link.id { return false }
    ids.insert(link.id, at: index)
    links.insert(link, at: index)
    return true
  }

  mutating func remove(_ link: LinkID) -> MeshLink? {
    guard let index = index(of: link) else { return nil }
    ids.remove(at: index)
    return links.remove(at: index)
  }

  /// All but one, in one allocation.
  func others(than link: LinkID) -> [LinkID] {
    var others = ids
    if let index = index(of: link) { others.remove(at: index) }
    return others
  }

  /// Whether a link's other end claims to be someone.
  func contains(claimOf keys: PublicKeys) -> Bool { links.contains { $0.claimedBy == keys } }

  /// Identities that claim to be at the other end of a link.
  var claimCount: Int { Set(links.lazy.compactMap(\.claimedBy)).count }

  /// Where the first link not before this one stands.
  private func place(of link: LinkID) -> Int {
    var low = 0
    var high = ids.count
    while low < high {
      let middle = low + (high - low) / 2
      if ids[middle] < link { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
