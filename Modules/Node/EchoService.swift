internal import Wire

/// What an echo service answers, and how much of it: calls with the caller's own voice, texts with
/// their copy.
///
/// Bounded in all and for each person, so that nobody turns it into a flood. Two echo services that
/// got hold of a text come to an end, too: the same text of the same person is answered a few times
/// and then left alone.
struct EchoService: Sendable {
  /// Texts answered in all.
  private var texts = TokenBucket(capacity: 64, perSecond: 8)
  /// Frames of a call given back; it has 50 a second.
  private var frames = TokenBucket(capacity: 60, perSecond: 60)
  /// People remembered; the one who wrote longest ago is forgotten first.
  static let maximumPeople = 256
  /// Texts answered to one person.
  static let burst = 16
  static let perSecond = 2
  /// How often the same text is answered before another one comes.
  static let maximumRepeats = 4
  /// After how long it is a new one again.
  static let repeatMemory = Duration.seconds(600)

  private struct Correspondent: Sendable {
    var texts = TokenBucket(capacity: burst, perSecond: perSecond)
    var last = 0
    var repeats = 0
    var heard: Instant
  }

  private var people: [Fingerprint: Correspondent] = [:]

  var peopleCount: Int { people.count }

  /// Whether a text of this person is answered.
  mutating func answers(_ text: String, from person: Fingerprint, at now: Instant) -> Bool {
    var one = people[person] ?? Correspondent(heard: now)
    let mark = text.hashValue
    if one.last != mark || now - one.heard > Self.repeatMemory { one.repeats = 0 }
    one.last = mark
    one.heard = now
    one.repeats = min(one.repeats + 1, Self.maximumRepeats + 1)
    let isAnswered =
      one.repeats <= Self.maximumRepeats && one.texts.take(at: now) && texts.take(at: now)
    makeRoom(for: person)
    people[person] = one
    return isAnswered
  }

  /// Whether a frame of a call goes back.
  mutating func returnsFrame(at now: Instant) -> Bool { frames.take(at: now) }

  private mutating func makeRoom(for person: Fingerprint) {
    guard people.count >= Self.maximumPeople, people[person] == nil,
      let quietest = people.min(by: { $0.value.heard < $1.value.heard })?.key
    else { return }
    people[quietest] = nil
  }
}
