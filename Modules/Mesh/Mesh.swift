internal import CallSignal
public import Identity
internal import Outbox
public import Router
public import Wire

/// The whole of a node without I/O: identity, routing, outbox and people over abstract links.
///
/// It is told what happened and at what moment, and collects what to do; whoever runs it takes the
/// effects after each call, in order. The node carries them out on real links, the simulator on
/// virtual ones. Nothing in here knows which radio carried a packet. From one seed come the same
/// effects, byte for byte.
public struct Mesh<Cryptography: MeshCryptography>: Sendable {
  public let ownKeys: PublicKeys
  public let ownFingerprint: Fingerprint
  public let ownName: String
  let policy: MeshPolicy
  /// What hops are cut to before a packet is relayed.
  let maximumRelayHops: UInt8

  var cryptography: Cryptography
  var router: Router
  var outbox: Outbox<PublicKeys>
  var book: ContactBook
  var links = MeshLinks()
  var people = FairTable<PublicKeys, HeardPerson>(capacity: peopleCapacity, share: peopleShare)
  var conflicts = KeyConflicts()
  var received = ReceivedMessages()
  var toOpen = OpeningQueue()
  var waitingRelays = WaitingRelays()
  var ownTexts = OwnTexts()
  var announcements = Announcements()
  var clockSuspicion = ClockSuspicion()
  var calls: CallAgent
  var openedVoice = OpenedVoice()
  /// The times of our hellos and call signals.
  var sendingClock = SendingClock()
  var effects: [MeshEffect] = []
  var counters = MeshCounters()

  /// A mesh without links.
  ///
  /// `name` is what hellos say, at most 64 bytes of UTF-8. `contacts` are the people pinned and the
  /// numbers blocked, `records` the messages of pinned people that were shown, oldest first, both
  /// as the disk has them.
  public init(
    cryptography: Cryptography, name: String, contacts: ContactBook = ContactBook(),
    received records: some Sequence<ReceivedRecord> = [], limits: Router.Limits = .standard,
    policy: MeshPolicy = MeshPolicy(), now: Instant
  ) {
    precondition(name.utf8.count <= Hello.maximumNameLength, "a name over 64 bytes")
    var cryptography = cryptography
    ownKeys = cryptography.publicKeys
    ownFingerprint = cryptography.fingerprint(of: ownKeys)
    ownName = name
    self.policy = policy
    maximumRelayHops = limits.relayHopLimit
    let hashKey = SipHashKey(k0: cryptography.random(), k1: cryptography.random())
    router = Router(ownFingerprint: ownFingerprint, hashKey: hashKey, limits: limits)
    outbox = Outbox(limits: policy.outbox, seed: cryptography.random())
    book = contacts
    calls = CallAgent(ownFingerprint: ownFingerprint)
    self.cryptography = cryptography
    for record in records where contacts.standing(of: record.sender) == .pinned {
      received.restore(record, now: now)
    }
  }

  /// The people pinned and the numbers blocked.
  public var contacts: ContactBook { book }

  /// The fingerprint of keys, which is computed only for whom we have not heard.
  public func fingerprint(of keys: PublicKeys) -> Fingerprint {
    people[keys]?.fingerprint ?? cryptography.fingerprint(of: keys)
  }

  /// What to do since this was last asked, in order.
  public mutating func takeEffects() -> [MeshEffect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  /// When `wake` has something to do; nil while nothing waits for its time.
  public var deadline: Instant? {
    var earliest = outbox.deadline
    for other in [announcements.deadline, calls.deadline, waitingRelays.deadline] {
      if let other { earliest = earliest.map { min($0, other) } ?? other }
    }
    return earliest
  }

  /// Does what has fallen due.
  public mutating func wake(at moment: Moment) {
    while let waiting = waitingRelays.take(at: moment.instant) { relay(waiting) }
    while let link = announcements.takeSecondHello(at: moment.instant) {
      sendHello(on: [link], at: moment)
    }
    if announcements.isDue(at: moment.instant) { announceNow(at: moment) }
    carryOut(outbox.wake(now: moment.instant, wallClock: moment.wallClock), at: moment)
    calls.wake(at: moment.instant)
    carryOutCalls(at: moment)
  }

  // MARK: Links

  /// A link came up.
  ///
  /// `endpoint` is equal for links that certainly end at one host by one transport.
  public mutating func linkUp(_ link: LinkID, endpoint: String, at moment: Moment) {
    guard links.add(MeshLink(id: link, endpoint: endpoint)) else { return }
    router.linkUp(link)
    announcements.linkUp(link, at: moment.instant)
    sendHello(on: [link], at: moment)
    carryOut(outbox.linkUp(link, now: moment.instant, wallClock: moment.wallClock), at: moment)
  }

  /// A link went down; what came in on it and was not opened yet still is.
  public mutating func linkDown(_ link: LinkID, at moment: Moment) {
    guard let state = links.remove(link) else { return }
    router.linkDown(link)
    announcements.linkDown(link)
    for packet in toOpen.linkDown(link) { shed(packet.view) }
    people.linkDown(link)
    received.linkDown(link)
    outbox.linkDown(link)
    calls.linkDown(link)
    if let keys = state.claimedBy { tellWhetherDirect(keys) }
  }
}
