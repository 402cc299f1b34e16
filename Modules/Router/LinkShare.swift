internal import Wire

/// What one link may ask of this device (PROTOCOL, section 3, "Fair share").
///
/// Keyed by the link alone: nothing is keyed by what packets say, which is the attacker's.
struct LinkShare: Sendable {
  private var packets: TokenBucket
  private var hellos: TokenBucket
  private var relayedHellos: TokenBucket
  private var voice: TokenBucket
  /// An equal part, where each packet costs as many tokens as there are links.
  private var relayed: TokenBucket
  /// Packets dropped because one of the buckets was empty.
  private(set) var overShare: UInt64 = 0

  init(_ limits: Router.Limits) {
    packets = limits.packets
    hellos = limits.hellos
    relayedHellos = limits.relayedHellos
    voice = limits.voice
    relayed = TokenBucket(
      capacity: max(1, limits.relayReserve), perSecond: limits.relayed.perSecond)
  }

  /// Takes what a packet for somebody else, or for everyone, costs.
  mutating func takePacket(at now: Instant) -> Bool { count(packets.take(at: now)) }

  mutating func takeVoice(at now: Instant) -> Bool { count(voice.take(at: now)) }

  /// Takes what verifying a hello costs besides.
  mutating func takeHello(isRelayed: Bool, at now: Instant) -> Bool {
    guard isRelayed else { return count(hellos.take(at: now)) }
    // Of both or of neither, so that no refusal eats into what the other kind may use.
    var both = (relayedHellos, hellos)
    guard count(both.0.take(at: now) && both.1.take(at: now)) else { return false }
    (relayedHellos, hellos) = both
    return true
  }

  /// Takes what relaying a packet costs of what this device relays in all.
  ///
  /// Past an equal part of it among `linkCount` links, only of what is not reserved for the others.
  mutating func takeRelay(
    of all: inout TokenBucket, leaving reserve: Int, linkCount: Int, at now: Instant
  ) -> Bool {
    let isWithinEqualPart = relayed.take(linkCount, at: now)
    return all.take(leaving: isWithinEqualPart ? 0 : reserve, at: now)
  }

  private mutating func count(_ isWithinShare: Bool) -> Bool {
    if !isWithinShare { overShare &+= 1 }
    return isWithinShare
  }
}

/// The shares of all links that are up, as many as the transports let there be.
///
/// An array in the links' order, searched by halves, so that a packet finds its share once and
/// changes it in place.
struct LinkShares: Sendable {
  private var shares: [LinkShare] = []
  /// Their links: a search looks at these alone, which lie side by side.
  private var ids: [LinkID] = []

  subscript(index: Int) -> LinkShare {
    get { shares[index] }
    _modify { yield &shares[index] }
  }

  var count: Int { shares.count }

  func index(of link: LinkID) -> Int? {
    let index = place(of: link)
    return index < ids.count && ids[index] == link ? index : nil
  }

  mutating func add(_ link: LinkID, _ limits: Router.Limits) {
    guard index(of: link) == nil else { return }
    let place = place(of: link)
    ids.insert(link, at: place)
    shares.insert(LinkShare(limits), at: place)
  }

  mutating func remove(_ link: LinkID) {
    guard let index = index(of: link) else { return }
    ids.remove(at: index)
    shares.remove(at: index)
  }

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
