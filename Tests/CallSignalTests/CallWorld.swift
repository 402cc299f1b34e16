import CallSignal
import Seal
import Wire

/// Two devices, or more, with a channel between them that a test makes as bad as it likes.
///
/// Side 0 has the lower fingerprint of the first two.
final class CallWorld {
  enum Item: Equatable {
    case signal(CallSignal, time: Timestamp)
    case frame([UInt8], Road)
  }

  struct Side {
    var agent: CallAgent
    let keys: PublicKeys
    let fingerprint: Fingerprint
    var generator: SplitMix64
    var clock = SendingClock()
    /// How far this device's clock is from everybody's time.
    var clockOffset: Duration = .zero
    /// Whom this one takes for pinned.
    var pinned: Set<Int> = [0, 1, 2, 3]
    var effects: [(time: Instant, effect: CallEffect)] = []
    /// What was played: the bytes of Opus.
    var played: [[UInt8]] = []
    /// The name of the direct road that is offered or joined.
    var offered: CallNonce?
    var joined: CallNonce?
    var knowsAddress = false
    /// Whether the timer runs: not while suspended.
    var isSuspended = false
  }

  private struct InFlight {
    let item: Item
    let from: Int
    let to: Int
    let due: Instant
    let order: Int
  }

  var sides: [Side]
  private(set) var now = Instant.zero + .seconds(1_000)
  private let start = Timestamp(milliseconds: 1_700_000_000_000)
  private var inFlight: [InFlight] = []
  private var order = 0
  /// How long an item is under way from one side to another; nil when it is lost.
  var delay: (_ from: Int, _ to: Int, Item) -> Duration? = { _, _, _ in .milliseconds(5) }
  /// What went out, of each side.
  var sent: [(from: Int, to: Int, item: Item, time: Instant)] = []
  /// Whether there is a direct road that can be found at all.
  var hasDirectRoad = false
  var keepsHistory = true

  init(sides count: Int = 2, seed: UInt64 = 1) {
    var generator = SplitMix64(seed: seed)
    sides = (0..<count).map { index in
      var bytes = [UInt8](repeating: UInt8(index + 1), count: 32)
      bytes[0] = 0x80
      let keys = PublicKeys(
        signing: SigningPublicKey(bytes) ?? SigningPublicKey(),
        agreement: AgreementPublicKey(bytes) ?? AgreementPublicKey())
      let fingerprint = Fingerprint(value: UInt64(index + 1) << 56)
      return Side(
        agent: CallAgent(ownFingerprint: fingerprint), keys: keys, fingerprint: fingerprint,
        generator: SplitMix64(seed: generator.next()))
    }
  }

  func party(_ other: Int, for side: Int) -> CallParty {
    CallParty(
      keys: sides[other].keys, fingerprint: sides[other].fingerprint,
      isPinned: sides[side].pinned.contains(other))
  }

  func wallClock(_ side: Int) -> Timestamp {
    start.advanced(by: now - .zero).advanced(by: sides[side].clockOffset)
  }

  private func change(_ side: Int, _ body: (inout Side) throws -> Void) rethrows {
    try body(&sides[side])
  }

  // MARK: Commands

  func call(_ side: Int, _ other: Int) throws {
    let now = now
    let party = party(other, for: side)
    defer { collect(side) }
    try change(side) { try $0.agent.call(party, at: now, using: &$0.generator) }
  }

  func answer(_ side: Int) throws {
    defer { collect(side) }
    try sides[side].agent.answer(at: now)
  }

  func decline(_ side: Int) throws {
    defer { collect(side) }
    try sides[side].agent.decline(at: now)
  }

  func hangUp(_ side: Int) throws {
    defer { collect(side) }
    try sides[side].agent.hangUp(at: now)
  }

  func fail(_ side: Int) {
    sides[side].agent.fail(at: now)
    collect(side)
  }

  func speak(_ side: Int, _ opus: [UInt8]) {
    sides[side].agent.send(opus, at: now)
    collect(side)
  }

  /// The device starts afresh: its memory is gone.
  func restart(_ side: Int) {
    sides[side].agent = CallAgent(ownFingerprint: sides[side].fingerprint)
    sides[side].clock = SendingClock()
    sides[side].offered = nil
    sides[side].joined = nil
    sides[side].knowsAddress = false
  }

  // MARK: The channel

  /// Gives a side a signal out of the blue, in a packet of the present time moved by `offset`.
  func inject(_ signal: CallSignal, from: Int, to side: Int, offset: Duration = .zero) {
    receive(.signal(signal, time: wallClock(from).advanced(by: offset)), from: from, at: side)
  }

  func inject(_ frame: [UInt8], _ road: Road, from: Int, to side: Int) {
    receive(.frame(frame, road), from: from, at: side)
  }

  private func receive(_ item: Item, from: Int, at side: Int) {
    let party = party(from, for: side)
    switch item {
    case .signal(let signal, let time):
      let wallClock = wallClock(side)
      change(side) {
        $0.agent.receive(
          signal, from: party, on: LinkID(1), time: time, at: now, wallClock: wallClock,
          using: &$0.generator)
      }
    case .frame(let frame, let road):
      let verdict = sides[side].agent.receive(
        frame.span.bytes, from: road == .direct ? .direct : .link(LinkID(1)), at: now)
      if case .fresh(_, let opus) = verdict, keepsHistory { sides[side].played.append(opus) }
      let teaches =
        switch verdict {
        case .fresh: road == .direct
        case .slower: true
        case .copy, .refused: false
        }
      if teaches, sides[side].offered != nil, !sides[side].knowsAddress {
        sides[side].knowsAddress = true
        sides[side].agent.directAddress(isKnown: true, at: now)
      }
    }
    collect(side)
  }

  /// Carries out what a side wants.
  private func collect(_ side: Int) {
    for effect in sides[side].agent.takeEffects() {
      if keepsHistory { sides[side].effects.append((now, effect)) }
      switch effect {
      case .send(let signal, let keys):
        let time = sides[side].clock.next(wallClock(side))
        guard let to = sides.firstIndex(where: { $0.keys == keys }) else { continue }
        put(.signal(signal, time: time), from: side, to: to)
      case .transmit(let transmission):
        guard let to = sides.firstIndex(where: { $0.fingerprint == transmission.to }) else {
          continue
        }
        if transmission.isDirect {
          put(.frame(transmission.frame, .direct), from: side, to: to)
        }
        if transmission.mesh != .none {
          put(.frame(transmission.frame, .mesh), from: side, to: to)
        }
      case .offerDirect(let nonce): sides[side].offered = nonce
      case .joinDirect(let nonce): sides[side].joined = nonce
      case .leaveDirect:
        sides[side].offered = nil
        sides[side].joined = nil
        sides[side].knowsAddress = false
      case .report, .quiet: break
      }
    }
    join(side)
  }

  /// The callee finds what a caller offers.
  private func join(_ side: Int) {
    guard hasDirectRoad, let nonce = sides[side].joined, !sides[side].knowsAddress,
      sides.contains(where: { $0.offered == nonce })
    else { return }
    sides[side].knowsAddress = true
    sides[side].agent.directAddress(isKnown: true, at: now)
  }

  private func put(_ item: Item, from: Int, to: Int) {
    if keepsHistory { sent.append((from, to, item, now)) }
    guard let delay = delay(from, to, item) else { return }
    order += 1
    inFlight.append(
      InFlight(item: item, from: from, to: to, due: now + delay, order: order))
  }

  // MARK: Time

  func run(for duration: Duration) {
    let end = now + duration
    while let next = nextEvent(), next <= end {
      now = max(now, next)
      step()
    }
    now = end
  }

  private func nextEvent() -> Instant? {
    let deadlines = sides.indices.compactMap { index in
      sides[index].isSuspended ? nil : sides[index].agent.deadline
    }
    return (deadlines + inFlight.map(\.due)).min()
  }

  private func step() {
    let arriving = inFlight.filter { $0.due <= now }.sorted {
      ($0.due, $0.order) < ($1.due, $1.order)
    }
    inFlight.removeAll { $0.due <= now }
    for item in arriving where !sides[item.to].isSuspended {
      receive(item.item, from: item.from, at: item.to)
    }
    for side in sides.indices where !sides[side].isSuspended {
      guard let deadline = sides[side].agent.deadline, deadline <= now else { continue }
      sides[side].agent.wake(at: now)
      collect(side)
    }
  }

  // MARK: What was seen

  func state(_ side: Int) -> CallReport.State? { sides[side].agent.current?.state }

  func isConnected(_ side: Int) -> Bool {
    if case .connected? = state(side) { true } else { false }
  }

  func reports(_ side: Int) -> [CallReport.State] {
    sides[side].effects.compactMap {
      if case .report(let report) = $0.effect { report.state } else { nil }
    }
  }

  func ending(_ side: Int) -> Ending? {
    reports(side).reversed().lazy.compactMap {
      if case .ended(let ending) = $0 { ending } else { nil }
    }.first
  }

  /// When a side was told this.
  func times(_ side: Int, _ wanted: (CallEffect) -> Bool) -> [Instant] {
    sides[side].effects.filter { wanted($0.effect) }.map(\.time)
  }

  func signals(_ side: Int, _ wanted: (CallSignal) -> Bool = { _ in true }) -> [CallSignal] {
    sent.compactMap {
      if case .signal(let signal, _) = $0.item, $0.from == side, wanted(signal) {
        signal
      } else {
        nil
      }
    }
  }

  func frames(_ side: Int, _ road: Road) -> [[UInt8]] {
    sent.compactMap {
      if case .frame(let frame, road) = $0.item, $0.from == side { frame } else { nil }
    }
  }

  func forgetSent() { sent = [] }

  /// Calls, lets it ring and answers.
  func connect(_ caller: Int = 0, _ callee: Int = 1) throws {
    try call(caller, callee)
    run(for: .milliseconds(50))
    try answer(callee)
    run(for: .milliseconds(50))
  }
}

extension CallSignal {
  var isInvite: Bool { if case .invite = self { true } else { false } }
  var isAnswer: Bool { if case .answer = self { true } else { false } }
  var isDecline: Bool { if case .decline = self { true } else { false } }
  var isEnd: Bool { if case .end = self { true } else { false } }
  var isDeaf: Bool { if case .deaf = self { true } else { false } }
}

/// A key as an invite carries one, whose secret nobody keeps.
func someKey(_ seed: UInt64) -> AgreementPublicKey {
  var generator = SplitMix64(seed: seed)
  return CallKeyPair(using: &generator).publicKey
}
