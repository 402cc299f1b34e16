internal import Wire

/// What could stand where the cursor is.
public struct LineCompletion: Hashable, Sendable {
  /// One way to go on.
  public struct Candidate: Hashable, Sendable {
    /// What replaces the characters that were typed, a space after it where more may follow.
    public let replacement: String
    /// What a list of candidates shows; harmless.
    public let shown: String
  }

  /// How many characters before the cursor are replaced.
  public let replacing: Int
  public let candidates: [Candidate]

  static let none = LineCompletion(replacing: 0, candidates: [])

  /// The beginning that all candidates share; what one Tab fills in.
  public var commonBeginning: String {
    guard var common = candidates.first?.replacement else { return "" }
    for candidate in candidates.dropFirst() {
      common = String(zip(common, candidate.replacement).prefix { $0 == $1 }.map(\.0))
    }
    return common
  }
}

extension People {
  /// Completes commands, names and numbers at the end of what was typed before the cursor.
  public func completion(of typed: String) -> LineCompletion {
    guard typed.hasPrefix("/"), !typed.hasPrefix("//"), !typed.contains(where: \.isNewline) else {
      return .none
    }
    guard let space = typed.firstIndex(of: " ") else {
      return Self.completion(ofCommand: typed.dropFirst())
    }
    guard let command = SlashCommand(rawValue: String(typed[..<space].dropFirst())) else {
      return .none
    }
    let operand = typed[space...].drop { $0 == " " }
    if command == .help { return Self.completion(ofCommand: operand, endsLine: true) }
    if command == .mute { return Self.completion(of: operand, among: ["off", "on"]) }
    return command.takesPerson ? completion(ofPerson: operand) : .none
  }

  private static func completion(ofCommand typed: Substring, endsLine: Bool = false)
    -> LineCompletion
  {
    let found = SlashCommand.allCases.filter { $0.rawValue.hasPrefix(typed.lowercased()) }
    return LineCompletion(
      replacing: typed.count,
      candidates: found.map {
        let hasMore = !endsLine && !$0.operands.isEmpty
        return .init(replacement: $0.rawValue + (hasMore ? " " : ""), shown: $0.rawValue)
      })
  }

  private static func completion(of typed: Substring, among words: [String]) -> LineCompletion {
    LineCompletion(
      replacing: typed.count,
      candidates: words.filter { $0.hasPrefix(typed) }.map { .init(replacement: $0, shown: $0) })
  }

  /// A name where it names one person and can be typed, else the number.
  private func completion(ofPerson typed: Substring) -> LineCompletion {
    var candidates: [LineCompletion.Candidate] = []
    let key = typed.lowercased()
    let everyone = all
    let bearers = Dictionary(grouping: everyone) { NameKey(of: $0.name) }
    for peer in everyone {
      let shown = label(peer.fingerprint).plain
      let isNamed =
        !key.isEmpty && !peer.name.isEmpty && peer.name.lowercased().hasPrefix(key)
      let isNumbered = "\(peer.number)".lowercased().hasPrefix(key)
      guard isNamed || isNumbered else { continue }
      let replacement =
        isNamed && bearers[NameKey(of: peer.name)]?.count == 1 && isTypeable(peer)
        ? peer.name
        : isContested(peer.number) ? peer.fingerprint.hex : "\(peer.number)"
      candidates.append(.init(replacement: replacement, shown: shown))
    }
    return LineCompletion(replacing: typed.count, candidates: candidates)
  }

  /// Whether a name, typed, leads to its bearer: shown as it is, and not taken for a number.
  private func isTypeable(_ peer: Peer) -> Bool {
    guard Self.shown(name: peer.name) == peer.name else { return false }
    return (try? Recipient(parsing: peer.name)) == nil
      || lookup(peer.name) == .found(.fingerprint(peer.fingerprint))
  }
}
