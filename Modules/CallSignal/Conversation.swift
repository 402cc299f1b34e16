internal import Seal
internal import Wire

/// A call in which both can speak: its frames, its roads, and whether the other side is still there.
struct Conversation: Sendable {
  /// Without a frame or signal for this long the user is told, and the call is lost.
  static let quietAfter: Duration = .seconds(5)
  static let lostAfter: Duration = .seconds(30)
  /// Without a frame for this long we say that we are deaf, and then again.
  static let deafAfter: Duration = .milliseconds(500)
  static let deafInterval: Duration = .seconds(4)
  /// How often a frame goes out while nobody gives us sound.
  static let fillerInterval: Duration = .milliseconds(200)
  /// A frame of Opus (RFC 6716, section 3.1) that is its first byte alone: 20 ms at 24 kHz, mono,
  /// of which nothing was coded.
  static let filler: [UInt8] = [13 << 3]

  /// What has fallen due.
  enum Due: Hashable, Sendable {
    case filler
    case quiet
    case lost
    case deaf
  }

  private let keys: CallKeys
  private var nextSequence: UInt32
  private var window = ReplayWindow()
  var roads = RoadChoice()
  /// The carrying road that was told last.
  private(set) var carrier = Road.mesh
  /// The last frame or signal; the beginning while there was none.
  private var heard: Instant
  private var isQuietTold = false
  /// When the next deaf signal falls due; nil until the call's first frame has opened.
  private var deafDue: Instant?
  private var sent: Instant

  init(_ keys: CallKeys, firstSequence: UInt32 = 0, at now: Instant) {
    self.keys = keys
    nextSequence = firstSequence
    heard = now
    sent = now
  }

  // MARK: Frames

  /// A frame of ours with the roads it takes; nil when the last sequence is reached.
  mutating func seal(
    _ opus: [UInt8], at now: Instant
  ) -> (frame: [UInt8], mesh: CallTransmission.MeshRoad, isDirect: Bool)? {
    guard nextSequence < .max else { return nil }
    let frame = keys.seal(opus, sequence: nextSequence)
    nextSequence += 1
    sent = now
    let (mesh, isDirect) = roads.choose(at: now)
    return (frame, mesh, isDirect)
  }

  mutating func open(_ frame: RawSpan, from source: FrameSource, at now: Instant) -> FrameVerdict {
    guard let (sequence, opus) = keys.open(frame) else { return .refused }
    let verdict = window.note(sequence)
    guard verdict != .old else { return .refused }
    var isNewDirectly = false
    switch source {
    case .link(let link): roads.heard(on: link, at: now)
    case .direct: isNewDirectly = roads.heardDirectly(sequence, at: now)
    }
    guard verdict == .fresh else { return isNewDirectly ? .slower : .copy }
    signalHeard(at: now)
    deafDue = now + Self.deafAfter
    return .fresh(sequence: sequence, opus: opus)
  }

  /// A signal of the other side's came, which shows that it is there.
  mutating func signalHeard(at now: Instant) {
    heard = now
    isQuietTold = false
  }

  /// Takes in which road carries now; whether it is another one than was told.
  mutating func noteCarrier(at now: Instant) -> Bool {
    let road = roads.carrier(at: now)
    defer { carrier = road }
    return road != carrier
  }

  // MARK: Time

  var deadline: Instant {
    var deadline = min(
      sent + Self.fillerInterval, heard + (isQuietTold ? Self.lostAfter : Self.quietAfter))
    if let deafDue { deadline = min(deadline, deafDue) }
    if carrier == .direct { deadline = min(deadline, roads.directUntil ?? sent) }
    return deadline
  }

  /// Takes what has fallen due; after `lost` comes nothing more.
  mutating func takeDue(at now: Instant) -> [Due] {
    var due: [Due] = []
    if now >= heard + Self.lostAfter { return [.lost] }
    if !isQuietTold, now >= heard + Self.quietAfter {
      isQuietTold = true
      due.append(.quiet)
    }
    if let deafDue, now >= deafDue {
      self.deafDue = now + Self.deafInterval
      due.append(.deaf)
    }
    if now >= sent + Self.fillerInterval { due.append(.filler) }
    return due
  }
}
