internal import CallSignal
internal import Router
internal import Wire

/// When hellos of our own go out, and what time they carry (PROTOCOL, section 4).
struct Announcements: Sendable {
  /// The second hello after a link came up, because the first can race the other side's set-up.
  static let secondHelloDelay: Duration = .milliseconds(1_500)
  /// The least time between two announcements, however often one is asked for.
  static let interval: Duration = .seconds(1)
  /// The least time between two announcements that answer a stranger heard over a relay.
  static let answeringInterval: Duration = .seconds(60)
  /// Two hellos of one person within this are those that follow a link which came up at their end.
  static let joining: Duration = .seconds(3)
  /// How long such an answer waits, so that those of many do not fall together.
  static let answeringDelay: ClosedRange<Duration> = .milliseconds(200)...(.seconds(1))
  /// Links that get a second hello, the first due first.
  private var secondHellos: [(link: LinkID, due: Instant)] = []
  private var last: Instant?
  private var due: Instant?
  private var lastAnswer: Instant?

  var deadline: Instant? {
    guard let second = secondHellos.first?.due else { return due }
    return due.map { min($0, second) } ?? second
  }

  // MARK: After a link came up

  mutating func linkUp(_ link: LinkID, at now: Instant) {
    secondHellos.append((link, now + Self.secondHelloDelay))
  }

  mutating func linkDown(_ link: LinkID) { secondHellos.removeAll { $0.link == link } }

  /// A link whose second hello has fallen due, if there is one.
  mutating func takeSecondHello(at now: Instant) -> LinkID? {
    guard let next = secondHellos.first, next.due <= now else { return nil }
    secondHellos.removeFirst()
    return next.link
  }

  // MARK: To everyone

  /// Asks for an announcement as soon as there may be one.
  mutating func request(at now: Instant) { schedule(now) }

  /// Asks for one that answers a stranger; nothing when the last answer is too fresh.
  mutating func requestAnswer(at now: Instant, after delay: Duration) {
    if let lastAnswer, now - lastAnswer < Self.answeringInterval { return }
    lastAnswer = now
    schedule(now + delay)
  }

  private mutating func schedule(_ wanted: Instant) {
    let earliest = last.map { max(wanted, $0 + Self.interval) } ?? wanted
    due = due.map { min($0, earliest) } ?? earliest
  }

  func isDue(at now: Instant) -> Bool { due.map { $0 <= now } ?? false }

  /// One goes out now, which is all that was asked for; or nobody is there to hear it.
  mutating func settle(isSent: Bool, at now: Instant) {
    if isSent { last = now }
    due = nil
  }
}

extension Mesh {
  /// Sends a hello to everyone: the user came to the front, or the system woke up.
  public mutating func announce(at moment: Moment) {
    announcements.request(at: moment.instant)
    if announcements.isDue(at: moment.instant) { announceNow(at: moment) }
  }

  mutating func announceNow(at moment: Moment) {
    announcements.settle(isSent: !links.isEmpty, at: moment.instant)
    sendHello(on: links.ids, at: moment)
  }

  mutating func sendHello(on links: [LinkID], at moment: Moment) {
    guard !links.isEmpty else { return }
    let id = cryptography.randomPacketID()
    let time = sendingClock.next(moment.wallClock)
    let hello = cryptography.makeHello(name: ownName, id: id, time: time)
    let packet = Packet(
      kind: .hello, hopLimit: PacketKind.hello.maximumHopLimit, time: time, id: id,
      destination: .everyone, payload: hello.payload)
    router.noteOwn(packet, now: moment.instant)
    effects.append(.send(packet, on: links))
  }

  /// Answers someone heard over a relay, who may not know us, with a hello of our own.
  ///
  /// Hellos go out when a link comes up and reach two hops. Whoever joins at the far end of a chain,
  /// for the first time or again after a restart, would be heard by us and never hear us: the one
  /// between keeps no copy of our hello.
  mutating func answerFromAfar(at moment: Moment) {
    announcements.requestAnswer(
      at: moment.instant, after: cryptography.random(in: Announcements.answeringDelay))
  }
}
