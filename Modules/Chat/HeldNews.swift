internal import Wire

/// What is new of links and people while a reader does not keep up: the newest of each.
///
/// Whoever sits in range makes as much of this news as they please, by connecting and leaving and by
/// saying hello under ever new keys, and a slow reader needs none of what is over: a link that came
/// and went untold is no news, and of a person only how things stand now. So what waits here is
/// bounded by the links and people that there are, not by what happened.
public struct HeldNews: Sendable {
  /// People whose news waits; the one whose has waited longest gives way, and `peers` still names
  /// everybody.
  public static let maximumPeople = 1_024

  /// What a piece of news is about.
  private enum Subject: Hashable {
    case link(String)
    case person(Fingerprint)
  }

  private var news: [Subject: (turn: UInt64, event: ChatEvent)] = [:]
  private var turn: UInt64 = 0
  private var peopleCount = 0

  public init() {}

  public var isEmpty: Bool { news.isEmpty }
  public var count: Int { news.count }

  /// Keeps what `link` has become.
  public mutating func hold(_ link: LinkStatus) {
    let subject = Subject.link(link.link)
    if !link.isUp, case .link(let held)? = news[subject]?.event, held.isUp {
      news[subject] = nil
    } else {
      put(.link(link), subject)
    }
  }

  /// Keeps what is known of `peer` now.
  public mutating func hold(_ peer: Peer) {
    let subject = Subject.person(peer.fingerprint)
    if case .peer(let held)? = news[subject]?.event {
      put(.peer(peer.new(peer.isNew || held.isNew)), subject)
      return
    }
    if peopleCount == Self.maximumPeople { dropOldestPerson() }
    peopleCount += 1
    put(.peer(peer), subject)
  }

  /// Takes everything out, oldest first.
  public mutating func takeAll() -> [ChatEvent] {
    defer { self = HeldNews() }
    return news.values.sorted { $0.turn < $1.turn }.map(\.event)
  }

  private mutating func put(_ event: ChatEvent, _ subject: Subject) {
    turn += 1
    news[subject] = (news[subject]?.turn ?? turn, event)
  }

  private mutating func dropOldestPerson() {
    let people = news.filter { if case .person = $0.key { true } else { false } }
    guard let oldest = people.min(by: { $0.value.turn < $1.value.turn }) else { return }
    news[oldest.key] = nil
    peopleCount -= 1
  }
}

extension Peer {
  /// The same person, told of as new or as known.
  fileprivate func new(_ isNew: Bool) -> Peer {
    Peer(
      fingerprint: fingerprint, name: name, isDirect: isDirect, isNew: isNew, heard: heard,
      isVerified: isVerified, isBlocked: isBlocked, contradictsPin: contradictsPin)
  }
}
