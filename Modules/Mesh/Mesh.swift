public import Identity
internal import Outbox
public import Router
public import Wire

/// The whole of a node without I/O: identity, routing, outbox and people over abstract links.
///
/// It is told what happened and at what moment, and collects what to do; whoever runs it takes the
/// effects after each call, in order. The node carries them out on real links, the simulator on
/// virtual ones. Nothing in here knows which radio carried a packet.
public struct Mesh<Cryptography: MeshCryptography>: Sendable {
  /// The least time between two announcements, however often one is asked for.
  public static var announceInterval: Duration { .seconds(1) }
  /// The least time between two announcements that answer a stranger heard over a relay.
  public static var answeringInterval: Duration { .seconds(60) }

  public let ownKeys: PublicKeys
  public let ownFingerprint: Fingerprint
  public let ownName: String

  var cryptography: Cryptography
  var router: Router
  var outbox: Outbox<PublicKeys>
  var book: ContactBook
  var links: [LinkID: MeshLink] = [:]
  var people = FairTable<PublicKeys, HeardPerson>(capacity: peopleCapacity, share: peopleShare)
  var received = ReceivedMessages()
  var clockSuspicion = ClockSuspicion()
  var effects: [MeshEffect] = []
  var counters = MeshCounters()

  /// Texts of our own that wait for their receipt, to be sealed again; as many as the outbox holds.
  var texts: [MessageID: String] = [:]
  /// Keys that claim a pinned number and that the user has not decided about.
  var conflicts: [Number: Set<PublicKeys>] = [:]
  /// Keys that the user decided against by accepting others for their number.
  var rejected: [PublicKeys] = []

  /// The time that our newest hello carried.
  var newestOwnTime: Timestamp?
  var lastAnnouncement: Instant?
  var announcementDue: Instant?
  var lastAnswer: Instant?
  /// Hellos dropped for their age whose signature is verified all the same, to judge our clock.
  var clockChecks = TokenBucket(capacity: 10, perSecond: 1)
  /// The link whose queue is opened next.
  var nextToOpen: LinkID?

  public init(
    cryptography: Cryptography, name: String, contacts: ContactBook = ContactBook(),
    received records: some Sequence<ReceivedRecord> = [], limits: Router.Limits = .standard,
    now: Instant
  ) {
    var cryptography = cryptography
    ownKeys = cryptography.publicKeys
    ownFingerprint = cryptography.fingerprint(of: ownKeys)
    ownName = name
    let hashKey = SipHashKey(k0: cryptography.random(), k1: cryptography.random())
    router = Router(ownFingerprint: ownFingerprint, hashKey: hashKey, limits: limits)
    outbox = Outbox(seed: cryptography.random())
    book = contacts
    self.cryptography = cryptography
    received.restore(records, now: now)
  }

  /// The people pinned and the numbers blocked.
  public var contacts: ContactBook { book }

  public func fingerprint(of keys: PublicKeys) -> Fingerprint { cryptography.fingerprint(of: keys) }

  /// What to do since this was last asked, in order.
  public mutating func takeEffects() -> [MeshEffect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  /// When `wake` has something to do; nil while nothing waits for its time.
  public var deadline: Instant? {
    let hellos = links.values.lazy.compactMap(\.secondHelloDue).min()
    return [hellos, announcementDue, outbox.deadline].lazy.compactMap { $0 }.min()
  }

  /// Does what has fallen due.
  public mutating func wake(at moment: Moment) {
    for (link, state) in links.sorted(by: { $0.key < $1.key }) {
      guard let due = state.secondHelloDue, due <= moment.instant else { continue }
      links[link]?.secondHelloDue = nil
      sendHello(on: [link], at: moment)
    }
    if let due = announcementDue, due <= moment.instant {
      announcementDue = nil
      announceNow(at: moment)
    }
    carryOut(outbox.wake(now: moment.instant, wallClock: moment.wallClock), at: moment)
  }

  // MARK: Links

  /// A link came up.
  ///
  /// `endpoint` is equal for links that certainly end at one host by one transport.
  public mutating func linkUp(_ link: LinkID, endpoint: String, at moment: Moment) {
    guard links[link] == nil else { return }
    var state = MeshLink(endpoint: endpoint)
    state.secondHelloDue = moment.instant + MeshLink.secondHelloDelay
    links[link] = state
    router.linkUp(link)
    sendHello(on: [link], at: moment)
    carryOut(outbox.linkUp(link, now: moment.instant, wallClock: moment.wallClock), at: moment)
  }

  public mutating func linkDown(_ link: LinkID, at moment: Moment) {
    guard let state = links.removeValue(forKey: link) else { return }
    router.linkDown(link)
    counters.unopened += state.openQueue.count
    outbox.linkDown(link)
    if let keys = state.claimedBy { tellWhetherDirect(keys) }
  }

  /// The links that are up, in order.
  var linksUp: [LinkID] { links.keys.sorted() }

  /// Identities that claim to be at the other end of a link.
  var directDevices: Int { Set(links.values.compactMap(\.claimedBy)).count }

  // MARK: Hellos

  /// Sends a hello to everyone: the user came to the front, or the system woke up.
  public mutating func announce(at moment: Moment) {
    let earliest = lastAnnouncement.map { $0 + Self.announceInterval } ?? moment.instant
    if earliest <= moment.instant {
      announceNow(at: moment)
    } else {
      announcementDue = min(announcementDue ?? earliest, earliest)
    }
  }

  mutating func announceNow(at moment: Moment) {
    lastAnnouncement = moment.instant
    sendHello(on: linksUp, at: moment)
  }

  mutating func sendHello(on links: [LinkID], at moment: Moment) {
    guard !links.isEmpty else { return }
    let id = cryptography.randomPacketID()
    let time = nextOwnTime(moment.wallClock)
    let hello = cryptography.makeHello(name: ownName, id: id, time: time)
    let packet = Packet(
      kind: .hello, hopLimit: PacketKind.hello.maximumHopLimit, time: time, id: id,
      destination: .everyone, payload: hello.payload)
    router.noteOwn(packet, now: moment.instant)
    effects.append(.send(packet, on: links))
  }

  /// The time for a hello of our own: later than the last one, unless that is far ahead of the
  /// clock, which then was wrong (PROTOCOL, section 7).
  private mutating func nextOwnTime(_ wallClock: Timestamp) -> Timestamp {
    var time = wallClock
    if let last = newestOwnTime, last.since(wallClock) <= Self.maximumLead {
      time = max(wallClock, last.advanced(by: .milliseconds(1)))
    }
    newestOwnTime = time
    return time
  }

  /// How far ahead of our clock a remembered time may be before it is forgotten.
  static var maximumLead: Duration { ClockSuspicion.tolerance }
}

/// What the mesh counts beside the router's own.
struct MeshCounters: Sendable {
  var opened = 0
  /// Did not open for us, or not its sender's.
  var unopenable = 0
  /// Shed because its link's queue was full, or waiting when the link went down.
  var unopened = 0
  var fromBlocked = 0
  var fromContradicting = 0
  /// Our own sealed bytes played back to us.
  var fromOurselves = 0
  var repeated = 0
  var tooOldToTell = 0
  var receiptsSent = 0
  var strangeReceipts = 0
  var hellosHeard = 0
  var badHellos = 0
  var callSignals = 0
  var voiceFrames = 0
}
