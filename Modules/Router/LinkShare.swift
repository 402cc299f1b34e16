internal import Wire

/// What one link may ask of this device (PROTOCOL, section 3, "Fair share").
///
/// Keyed by the link alone: nothing is keyed by what packets say, which is the attacker's.
struct LinkShare: Sendable, BitwiseCopyable {
  let link: LinkID
  private var packets = TokenBucket()
  private var hellos = TokenBucket()
  private var relayedHellos = TokenBucket()
  private var voice = TokenBucket()
  /// Packets dropped because one of the buckets was empty.
  private(set) var overShare: UInt64 = 0

  init(link: LinkID) { self.link = link }

  /// Takes what a packet for somebody else, or for everyone, costs.
  mutating func takePacket(_ limits: Router.Limits, now: Instant) -> Bool {
    count(packets.take(limits.packets, now: now))
  }

  mutating func takeVoice(_ limits: Router.Limits, now: Instant) -> Bool {
    count(voice.take(limits.voice, now: now))
  }

  /// Takes what verifying a hello costs besides: of both its buckets or of neither.
  mutating func takeHello(isRelayed: Bool, _ limits: Router.Limits, now: Instant) -> Bool {
    guard isRelayed else { return count(hellos.take(limits.hellos, now: now)) }
    return count(
      hellos.hasToken(limits.hellos, now: now)
        && relayedHellos.take(limits.relayedHellos, now: now)
        && hellos.take(limits.hellos, now: now))
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

  subscript(index: Int) -> LinkShare {
    get { shares[index] }
    _modify { yield &shares[index] }
  }

  func index(of link: LinkID) -> Int? {
    let index = place(of: link)
    return index < shares.count && shares[index].link == link ? index : nil
  }

  mutating func add(_ link: LinkID) {
    guard index(of: link) == nil else { return }
    shares.insert(LinkShare(link: link), at: place(of: link))
  }

  mutating func remove(_ link: LinkID) {
    if let index = index(of: link) { shares.remove(at: index) }
  }

  /// Where the first link not before this one stands.
  private func place(of link: LinkID) -> Int {
    var low = 0
    var high = shares.count
    while low < high {
      let middle = low + (high - low) / 2
      if shares[middle].link < link { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
