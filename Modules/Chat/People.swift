internal import CommandLine
public import Wire

/// Who is known to the one at the terminal, by keys.
public struct People: Sendable {
  /// Twice what the node's own table of strangers holds, so that the node's bound decides.
  public static let capacity = 2_048

  private struct Entry {
    let peer: Peer
    let key: NameKey
    let skeleton: String
    /// Grows with every change: the smallest is the one longest unheard.
    let order: Int
  }

  private var entries: [Fingerprint: Entry] = [:]
  /// Who bears names that look alike.
  private var bearers: [String: Set<Fingerprint>] = [:]
  /// How many keys claim a number.
  private var claims: [Number: Int] = [:]
  private var order = 0

  public init() {}

  public subscript(fingerprint: Fingerprint) -> Peer? { entries[fingerprint]?.peer }

  /// Everyone, by name and then by number.
  public var all: [Peer] { sorted { _ in true } }

  /// Everyone whose keys make this number: more than one when somebody searched for such keys.
  public func claiming(_ number: Number) -> [Peer] {
    claims[number] == nil ? [] : sorted { $0.peer.number == number }
  }

  /// Everyone of this name, whatever its case.
  public func named(_ name: some StringProtocol) -> [Peer] {
    let key = NameKey(of: name)
    return sorted { $0.key == key }
  }

  /// Whether more than one of the known keys make this number.
  func isContested(_ number: Number) -> Bool { claims[number, default: 0] > 1 }

  private func sorted(where isMeant: (Entry) -> Bool) -> [Peer] {
    entries.values.filter(isMeant).sorted {
      $0.key == $1.key
        ? $0.peer.fingerprint < $1.peer.fingerprint : $0.key.text < $1.key.text
    }.map(\.peer)
  }

  /// Takes in what the node tells, and returns what was known before.
  @discardableResult
  public mutating func learn(_ peer: Peer) -> Peer? {
    order += 1
    let before = entries[peer.fingerprint]?.peer
    forget(peer.fingerprint)
    let skeleton = NameLikeness.skeleton(peer.name)
    entries[peer.fingerprint] = Entry(
      peer: peer, key: NameKey(of: peer.name), skeleton: skeleton, order: order)
    claims[peer.number, default: 0] += 1
    bearers[skeleton, default: []].insert(peer.fingerprint)
    if entries.count > Self.capacity {
      // The newest stays: it is what the user may answer next.
      let oldest = entries.filter { !$0.value.peer.isVerified && $0.key != peer.fingerprint }
        .min { $0.value.order < $1.value.order }
      forget(oldest?.key ?? peer.fingerprint)
    }
    return before
  }

  private mutating func forget(_ fingerprint: Fingerprint) {
    guard let entry = entries.removeValue(forKey: fingerprint) else { return }
    let rest = claims[fingerprint.number, default: 1] - 1
    claims[fingerprint.number] = rest > 0 ? rest : nil
    bearers[entry.skeleton]?.remove(fingerprint)
    if bearers[entry.skeleton]?.isEmpty == true { bearers[entry.skeleton] = nil }
  }

  /// What to say beside a name that is, or looks like, another's or a number; nil for most.
  ///
  /// Whoever is verified needs no such remark for another's sake.
  func remark(on fingerprint: Fingerprint, name: String? = nil) -> String? {
    let name = name ?? self[fingerprint]?.name ?? ""
    if NameLikeness.looksLikeNumber(name), (try? Number(parsing: name)) != fingerprint.number {
      return "the name looks like a number and is not this person's"
    }
    let skeleton = NameLikeness.skeleton(name)
    guard !skeleton.isEmpty, self[fingerprint]?.isVerified != true else { return nil }
    let others = bearers[skeleton, default: []].compactMap { self[$0] }
      .filter { $0.fingerprint != fingerprint && !$0.isBlocked }
    let nearest = others.min {
      $0.isVerified == $1.isVerified ? $0.fingerprint < $1.fingerprint : $0.isVerified
    }
    guard let nearest else { return nil }
    let isSame = NameKey(of: nearest.name) == NameKey(of: name)
    let other = label(nearest.fingerprint, name: isSame ? "" : nearest.name).plain
    return isSame ? "not the one of this name with \(other)" : "the name looks like \(other)"
  }
}

/// A name as it is looked up: harmless, in one case.
struct NameKey: Hashable {
  let text: String

  init(of name: some StringProtocol) { text = DisplayText(name: name).description.lowercased() }
}

extension People {
  /// The widest name that is shown whole.
  static let longestName = 32

  /// A person's name and number as they are shown everywhere: `Alice [7M2K-Q9XD]`.
  ///
  /// The brackets are ours alone (a name's own become round), so no name can look as if a number
  /// stood in it. Where several keys claim the number, the fingerprint stands there too.
  func label(_ fingerprint: Fingerprint, name: String? = nil, role: TextRole = .person)
    -> StyledText
  {
    let number = fingerprint.number
    let isContested =
      isContested(number) || self[fingerprint] == nil && !claiming(number).isEmpty
    let tag = isContested ? "[\(number) \(fingerprint.hex)]" : "[\(number)]"
    let shown = Self.shown(name: name ?? self[fingerprint]?.name ?? "")
    return StyledText(shown.isEmpty ? tag : "\(shown) \(tag)", role)
  }

  /// The label of a recipient of whom no more than the number may be known.
  func label(_ recipient: Recipient, role: TextRole = .person) -> StyledText {
    switch recipient {
    case .fingerprint(let fingerprint): return label(fingerprint, role: role)
    case .number(let number):
      let claimants = claiming(number)
      if claimants.count == 1, let only = claimants.first {
        return label(only.fingerprint, role: role)
      }
      return StyledText("[\(number)]", role)
    }
  }

  static func shown(name: String) -> String {
    let plain = DisplayText(name: name).truncated(toColumns: longestName).description
    return String(plain.map { $0 == "[" ? "(" : $0 == "]" ? ")" : $0 })
  }
}
