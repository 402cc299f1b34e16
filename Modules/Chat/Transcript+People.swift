internal import CommandLine
internal import Wire

extension Transcript {
  /// What changed about a person; nothing for a hello that says what the last one said.
  mutating func introduce(_ peer: Peer, _ now: LocalTime) -> [TranscriptEntry] {
    let before = people.learn(peer)
    let label = people.label(peer.fingerprint)
    func told(_ words: String, _ role: TextRole = .quiet) -> TranscriptEntry {
      TranscriptEntry(.notice, label + StyledText(" \(words)", role), at: now)
    }
    if peer.isBlocked {
      return before.map { !$0.isBlocked } ?? false
        ? [told("is blocked: messages and calls show no more")] : []
    }
    var entries: [TranscriptEntry] = []
    if let before {
      if before.isBlocked { entries.append(told("is no longer blocked")) }
      if before.isVerified != peer.isVerified {
        entries.append(
          peer.isVerified
            ? told("is verified: this is the person whose safety number you compared", .good)
            : told("is no longer verified", .warning))
      }
      if before.contradictsPin, !peer.contradictsPin {
        entries.append(told("is accepted with these keys"))
      }
      if before.name != peer.name, !before.name.isEmpty {
        entries.append(told("was called \(People.shown(name: before.name)) before", .warning))
      }
    }
    if peer.heard != nil {
      if before?.heard == nil {
        entries.append(told(peer.isDirect ? "is near" : "is in reach, over others' devices"))
      } else if let before, before.isDirect != peer.isDirect {
        entries.append(told(peer.isDirect ? "is near" : "is no longer near"))
      }
    }
    let isNamedAnew = before.map { $0.name != peer.name || $0.heard == nil } ?? true
    if isNamedAnew, let remark = people.remark(on: peer.fingerprint) {
      entries.append(
        TranscriptEntry(
          .warning, label + StyledText(": \(remark); look at the number", .warning), at: now))
    }
    return entries
  }

  mutating func list(_ peers: [Peer], _ now: LocalTime) -> [TranscriptEntry] {
    for peer in peers { people.learn(peer) }
    if peers.isEmpty {
      return [
        notice("nobody has been heard yet; two devices find each other by themselves", at: now)
      ]
    }
    var body = StyledText(peers.count == 1 ? "1 person" : "\(peers.count) people")
    for peer in peers.sorted(by: Self.isListedFirst) {
      let label = people.label(peer.fingerprint)
      let padding = String(
        repeating: " ", count: max(0, 30 - CellWidth.most(label.plain)))
      let mark = peer.isVerified ? TranscriptEntry.Mark.verified : .unverified
      body =
        body + StyledText("\n\(mark.rawValue) ", mark.role) + label
        + StyledText("\(padding) \(Self.standing(of: peer))", .quiet)
      if let remark = people.remark(on: peer.fingerprint) {
        body.append(" (\(remark))", .warning)
      }
    }
    return [TranscriptEntry(.notice, body, at: now)]
  }

  /// The near before the far, the far before those not heard, then by name.
  private static func isListedFirst(_ a: Peer, _ b: Peer) -> Bool {
    func rank(_ peer: Peer) -> Int {
      peer.isBlocked ? 3 : peer.heard == nil ? 2 : peer.isDirect ? 0 : 1
    }
    return (rank(a), NameKey(of: a.name).text, a.fingerprint)
      < (rank(b), NameKey(of: b.name).text, b.fingerprint)
  }

  private static func standing(of peer: Peer) -> String {
    var words = [
      peer.isVerified ? "verified" : "unverified",
      peer.heard == nil ? "not heard in this run" : peer.isDirect ? "near" : "over others' devices",
    ]
    if peer.isBlocked { words.insert("blocked", at: 0) }
    if peer.contradictsPin {
      words.insert("other keys than those kept, nothing goes there", at: 0)
    }
    return words.joined(separator: ", ")
  }

  func list(_ links: [LinkStatus], _ now: LocalTime) -> [TranscriptEntry] {
    if links.isEmpty { return [notice("no links to other devices", at: now)] }
    var body = StyledText(links.count == 1 ? "1 link" : "\(links.count) links")
    for link in links {
      let name = DisplayText(link.link).padded(toColumns: 10)
      let transport = DisplayText(link.transport).padded(toColumns: 5)
      body.append("\n\(name) \(transport) \(link.isUp ? "up" : "down")", .plain)
      if let number = link.number {
        body = body + StyledText(" to ") + people.label(.number(number))
      }
      if let remote = link.remote { body.append(" at \(DisplayText(remote))", .quiet) }
    }
    return [TranscriptEntry(.notice, body, at: now)]
  }

  func list(_ statistics: [Statistic], _ now: LocalTime) -> [TranscriptEntry] {
    let names = statistics.map { DisplayText($0.name) }
    let width = min(40, names.map(\.columns).max() ?? 0)
    var body = StyledText(
      statistics.isEmpty ? "nothing is counted yet" : "what is held and counted")
    for (name, statistic) in zip(names, statistics) {
      body.append("\n\(name.padded(toColumns: width))  \(statistic.value)", .plain)
      guard let limit = statistic.limit else { continue }
      body.append(" of \(limit)", statistic.value >= limit ? .alarm : .quiet)
      if statistic.value >= limit { body.append(", full", .alarm) }
    }
    return [TranscriptEntry(.notice, body, at: now)]
  }

  func entry(_ safety: SafetyNumber, _ now: LocalTime) -> TranscriptEntry {
    let label = people.label(safety.peer)
    var body = StyledText("the safety number with ") + label
    let groups = DisplayText(safety.digits).description.split(separator: " ")
    for row in stride(from: 0, to: groups.count, by: 4) {
      body.append("\n" + groups[row..<min(row + 4, groups.count)].joined(separator: " "), .own)
    }
    body.append(
      safety.isVerified
        ? "\nyou have compared it: this person is verified"
        : "\nread it to each other; if it is the same on both sides: /verify "
          + "\(people.isContested(safety.peer.number) ? safety.peer.hex : "\(safety.peer.number)") same",
      .quiet)
    return TranscriptEntry(.notice, body, at: now)
  }
}
