internal import CommandLine
internal import Wire

/// Whom the words after a command mean.
enum Lookup: Hashable {
  case found(Recipient)
  /// Says why it is nobody, or more than one.
  case refused(String)
}

extension People {
  /// Finds whom the user means by a number, a fingerprint or a name.
  ///
  /// A name must be the whole one, its case aside: a text must not go to somebody by a beginning
  /// that two people share tomorrow. Eight letters can be both a name and a number (`Svetlana` is
  /// SVET-1ANA): the one that is known wins, and of two that are known neither.
  func lookup(_ text: String) -> Lookup {
    let bearers = named(text)
    let parsed: Recipient
    do throws(ChatError) {
      parsed = try Recipient(parsing: text)
    } catch {
      if case .reservedNumber = error { return .refused(error.message) }
      return lookup(name: text, bearers)
    }
    if case .fingerprint = parsed { return .found(parsed) }
    let claimants = claiming(parsed.number)
    switch (claimants.count, bearers.count) {
    case (0, 1...) where !text.contains("-"): return lookup(name: text, bearers)
    case (0, 0) where text.allSatisfy(\.isLetter):
      return .refused(
        "nobody called \(DisplayText(name: text)) is known; if it is a number, write "
          + "\(parsed.number)")
    case (1..., 1...) where bearers.contains { $0.number != parsed.number }:
      return .refused(
        "\(DisplayText(name: text)) is the name of \(list(bearers)) and the number of "
          + "\(list(claimants)): write the number with its hyphen")
    case (2..., _):
      return .refused(ChatError.ambiguous(parsed.number, claimants.map(\.fingerprint)).message)
    default: return .found(parsed)
    }
  }

  private func lookup(name: String, _ bearers: [Peer]) -> Lookup {
    let shown = DisplayText(name: name).truncated(toColumns: Self.longestName)
    if bearers.count == 1, let only = bearers.first {
      return .found(.fingerprint(only.fingerprint))
    }
    if bearers.count > 1 {
      return .refused("\(shown) is the name of \(list(bearers)): use the number")
    }
    var sentence = "nobody called \(shown) is known"
    let names = all.map { Self.shown(name: $0.name) }.filter { !$0.isEmpty }
    if let near = Nearest.word(to: name, among: names) { sentence += "; did you mean \(near)?" }
    return .refused(sentence)
  }

  private func list(_ peers: [Peer]) -> String {
    let shown = peers.prefix(5).map { label($0.fingerprint, name: "").plain }
    return shown.joined(separator: " and ") + (peers.count > 5 ? " and others" : "")
  }
}
