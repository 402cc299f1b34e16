internal import Chat
internal import EventLoop
public import Identity
public import Link
internal import Mesh
internal import Outbox
public import Terminal
internal import Wire

/// A running node: one mesh, the links that carry its packets, the disk, and whoever uses it.
///
/// It holds no rule of the protocol. Events of links, clock, disk and front end go into the mesh;
/// the effects that come out are carried out in order.
@MainActor
public final class Node {
  /// What a node is made of.
  public struct Parts {
    public var identity: Identity
    public var name: String
    /// Why the identity lasts for this run only; nil when it is the one on disk.
    public var temporaryBecause: String?
    public var contacts = ContactBook()
    public var received: [ReceivedRecord] = []
    public var storage: NodeStorage?
    public var logLevel = LogLevel.warning
    /// Who looks on while packets cross links.
    public var tap: (any PacketTap)?
    /// The direct road of calls; nil where they keep to the mesh.
    public var directRoad: (any DirectRoad)?
    /// The sound of calls; nil where they are silent.
    public var sound: (any CallSound)?
    /// Where calls ring beside the front end; nil where they do not.
    public var ringer: (any CallRinger)?
    /// Whether whoever calls is answered at once.
    public var answersCalls = false
    /// Whether callers hear their own voice, and texts come back as they were.
    public var isEchoService = false

    public init(identity: Identity, name: String) {
      self.identity = identity
      self.name = name
    }
  }

  let clock: NodeClock
  var mesh: Mesh<SealedCryptography>
  let front: any FrontEnd
  let storage: NodeStorage?
  let tap: (any PacketTap)?
  let directRoad: (any DirectRoad)?
  let sound: (any CallSound)?
  let ringer: (any CallRinger)?
  /// What our own sound may send: 50 frames a second, and what waited while a device stood still.
  var voiceShare = TokenBucket(capacity: 60, perSecond: 60)
  /// What the call that is on was like so far; nil while nobody can speak.
  var tally: CallTally?
  let answersCalls: Bool
  /// What comes back to whom; nil where nothing does.
  var echo: EchoService?
  /// Whether our own side of the call is silent.
  var isMuted = false
  /// Whether the call that is on, or was last, is another's to us.
  var isCallee = false
  var transports: [any LinkTransport] = []
  var links: [LinkID: NodeLink] = [:]
  /// The marks that programs gave their messages, while these wait.
  var references: [MessageID: String] = [:]
  private let temporaryBecause: String?
  private let logLevel: LogLevel
  private let ownName: String
  private let onEnd: (FrontEndEnd) -> Void

  private var isCarryingOut = false
  private var isWorkScheduled = false
  private var workNotSettled = 0
  /// What a reader that does not keep up has not been told of links and people.
  var heldNews = HeldNews()
  private var toRemember: [ReceivedRecord] = []
  private(set) var isStopped = false
  private var timer: EventLoop.Timer?
  private var timerDeadline: Instant?
  private var clockWatch: ClockWatch?
  private var contactsWatch: FileWatch?

  /// Makes a node that is not running yet; `onEnd` is called once it has stopped.
  public init(
    _ parts: Parts, front: any FrontEnd, clock: NodeClock = NodeClock(),
    onEnd: @escaping (FrontEndEnd) -> Void
  ) {
    self.clock = clock
    self.front = front
    self.onEnd = onEnd
    storage = parts.storage
    tap = parts.tap
    directRoad = parts.directRoad
    sound = parts.sound
    ringer = parts.ringer
    answersCalls = parts.answersCalls || parts.isEchoService
    echo = parts.isEchoService ? EchoService() : nil
    temporaryBecause = parts.temporaryBecause
    logLevel = parts.logLevel
    ownName = parts.name
    mesh = Mesh(
      cryptography: SealedCryptography(parts.identity), name: parts.name,
      contacts: parts.contacts, received: parts.received, policy: .standard, now: clock.now)
  }

  /// Starts the links, tells that the node is ready and begins to take commands.
  ///
  /// - Throws: what a transport throws that cannot start, such as a port that is taken.
  public func start(_ transports: [any LinkTransport], port: () -> UInt16) throws {
    self.transports = transports
    directRoad?.observer = self
    listenToDesktop()
    sound?.told = { [weak self] in self?.take($0) }
    for transport in transports { try transport.start() }
    clockWatch = ClockWatch(
      onJump: { [weak self] in self?.wake() }, onResume: { [weak self] in self?.resumed() })
    if let home = storage?.home {
      contactsWatch = FileWatch(
        directory: home.path, name: Home.Name.contacts.rawValue,
        onChange: { [weak self] in self?.contactsChanged() })
    }
    front.onRequest = { [weak self] request in self?.take(request) }
    front.onFocus = { [weak self] in self?.announce() }
    front.onEnd = { [weak self] end in self?.stop(end) }
    front.onRoom = { [weak self] in
      self?.tellHeldNews()
      self?.scheduleWork()
    }
    front.show(
      .ready(
        Ready(
          fingerprint: mesh.ownFingerprint, name: ownName, port: port(),
          temporary: temporaryBecause != nil)))
    if let temporaryBecause { front.show(.warning(.temporaryIdentity(why: temporaryBecause))) }
    front.start()
    tellTroubles()
    carryOut()
  }

  /// Names the messages still waiting, takes everything down and ends.
  public func stop(_ end: FrontEndEnd = .endOfInput) {
    guard !isStopped else { return }
    mesh.stop(at: clock.moment)
    carryOut()
    EventLoop.main.settle()
    isStopped = true
    sound?.shutDown()
    ringer?.end()
    if let timer { EventLoop.main.cancel(timer) }
    clockWatch?.stop()
    contactsWatch?.stop()
    for transport in transports { transport.stop() }
    front.stop()
    onEnd(end)
  }

  /// A hello goes out: the user came to the front.
  func announce() {
    mesh.announce(at: clock.moment)
    carryOut()
  }

  private func wake() {
    timerDeadline = nil
    mesh.wake(at: clock.moment)
    carryOut()
  }

  private func resumed() {
    for transport in transports { transport.systemResumed() }
    mesh.announce(at: clock.moment)
    wake()
  }

  private func contactsChanged() {
    if let book = storage?.loadContacts(), book != mesh.contacts {
      mesh.replaceBook(book, at: clock.moment)
    }
    tellTroubles()
    carryOut()
  }

  private func tellTroubles() {
    for sentence in storage?.takeTroubles() ?? [] { log(.warning, sentence) }
  }

  /// Tells the user something that is no event, if they want to hear that much.
  func log(_ level: LogLevel, _ sentence: String) {
    if level <= logLevel { front.notice(sentence) }
  }

  // MARK: Effects

  /// Carries out what the mesh wants, then sees to its next moment.
  ///
  /// What an effect brings about, such as a link that goes down because it was closed, comes in
  /// while this runs; its effects then follow in their turn.
  func carryOut() {
    guard !isCarryingOut, !isStopped else { return }
    isCarryingOut = true
    while true {
      let effects = mesh.takeEffects()
      if effects.isEmpty { break }
      for effect in effects { carryOut(effect) }
    }
    isCarryingOut = false
    scheduleWork()
    scheduleTimer()
  }

  private func carryOut(_ effect: MeshEffect) {
    switch effect {
    case .send(let packet, let on):
      for link in on { send(packet, on: link) }
    case .close(let link, let fault):
      let reason: LinkCloseReason =
        switch fault {
        case .replaced: .replaced
        case .misbehaved: .misbehaved("it sent packets that no honest device lets pass")
        }
      links[link]?.transport.close(link, because: reason)
    case .show(let text):
      front.show(
        .message(
          IncomingMessage(
            id: text.id, from: text.fingerprint, name: text.name, text: text.text,
            time: text.time)))
      returnText(text)
    case .remember(let record): remember(record)
    case .state(let id, let state): tell(id, state)
    case .person(let person, let isNew): tell(Peer(person, isNew: isNew))
    case .claimed(let link, let fingerprint):
      links[link]?.claimedBy = fingerprint
      links[link]?.transport.linkClaimed(link, by: fingerprint)
    case .contacts(let change):
      storage?.keep(change)
      tellTroubles()
    case .warning(let warning): front.show(.warning(ChatWarning(warning)))
    case .call, .play, .offerDirectRoad, .joinDirectRoad, .leaveDirectRoad, .sendDirectly:
      carryOutCall(effect)
    }
  }

  /// Notes a message as shown, after the line that shows it is written.
  private func remember(_ record: ReceivedRecord) {
    if toRemember.isEmpty {
      EventLoop.main.whenQuiet(.remember) {
        self.storage?.remember(self.toRemember)
        self.toRemember = []
        self.tellTroubles()
      }
    }
    toRemember.append(record)
  }

  private func send(_ packet: Packet, on link: LinkID) {
    guard let state = links[link] else { return }
    switch state.transport.send(packet, on: link) {
    case .queued: tap?.packetWentOut(packet, link: state.description.name)
    case .noLink: break
    case .shed: mesh.wasShed(packet, on: link, at: clock.moment)
    }
  }

  private func tell(_ id: MessageID, _ state: MessageState) {
    front.show(.state(DeliveryStatus(id: id, ref: references[id], state: .init(state))))
    switch state {
    case .delivered, .failed: references[id] = nil
    case .waiting, .sent: break
    }
  }

  /// Opens one sealed packet a turn of the loop, so that links and commands come in between.
  ///
  /// None while the front end is behind: a text that nobody can be shown must not be said to be
  /// delivered, and no flood of texts may outgrow what waits for a reader. What finds no room in the
  /// mesh's queue meanwhile comes again, for it got no receipt.
  private func scheduleWork() {
    guard mesh.hasWork, !isWorkScheduled, !isStopped, !front.isBehind else { return }
    isWorkScheduled = true
    EventLoop.main.nextTurn {
      self.isWorkScheduled = false
      self.mesh.work(at: self.clock.moment)
      self.carryOut()
      self.settleNowAndThen()
    }
  }

  /// Lets what packets brought go out, before more of them are opened.
  ///
  /// A few packets together, the more the more wait: the other end must not run out of work while
  /// we wait for more to send along.
  private func settleNowAndThen() {
    workNotSettled += 1
    guard workNotSettled >= max(2, mesh.workCount / 16) else { return }
    workNotSettled = 0
    EventLoop.main.settle()
  }

  private func scheduleTimer() {
    // Never back: to do that for every message costs more than to wake for nothing now and then.
    guard let deadline = mesh.deadline, deadline < timerDeadline ?? .distantFuture else { return }
    timerDeadline = deadline
    if let timer { EventLoop.main.cancel(timer) }
    timer = EventLoop.main.after(deadline - clock.now) { [weak self] in self?.wake() }
  }
}

/// A link as the node keeps it.
struct NodeLink {
  let transport: any LinkTransport
  let description: LinkDescription
  var claimedBy: Fingerprint?
}
