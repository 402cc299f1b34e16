public import Identity
internal import Outbox
public import Wire

extension Mesh {
  // MARK: Hellos heard

  /// Takes in a hello whose signature holds.
  mutating func hear(_ hello: Hello, header: PacketHeader, from link: LinkID, at moment: Moment) {
    guard hello.keys != ownKeys else { return }
    counters.hellosHeard += 1
    suspectClock(hello.keys, time: header.time, at: moment)
    let isFirst = people[hello.keys] == nil
    var person =
      people[hello.keys]
      ?? HeardPerson(fingerprint: cryptography.fingerprint(of: hello.keys), name: "")
    if let newest = person.newestHello, newest.time.since(moment.wallClock) <= Self.maximumLead,
      header.time <= newest.time
    {
      return
    }
    let isRenamed = person.name != hello.name
    person.newestHello = (header.time, header.id)
    person.name = hello.name
    people.set(person, for: hello.keys, on: link)
    let isNear = header.hopLimit == PacketKind.hello.maximumHopLimit
    let becameDirect = isNear && claim(link, by: hello.keys)

    if case .contradicts = book.standing(of: hello.keys) {
      noteConflict(hello.keys)
      return
    }
    if isRenamed { rename(hello.keys, hello.name) }
    if !book.isBlocked(person.fingerprint.number) {
      if isFirst || isRenamed || becameDirect { tell(hello.keys, isNew: isFirst) }
      if isFirst, !isNear { answerStranger(at: moment) }
    }
    carryOut(
      outbox.heard(hello.keys, now: moment.instant, wallClock: moment.wallClock), at: moment)
  }

  /// A copy of a hello that was seen came straight from the device at the other end of `link`.
  mutating func noteCopy(
    of packet: borrowing PacketView, from link: LinkID, at moment: Moment
  ) {
    // Seen means the same content, so what stands in it was verified.
    guard let hello = try? Hello(payload: packet.payload), hello.keys != ownKeys,
      let newest = people[hello.keys]?.newestHello, newest.id == packet.header.id
    else { return }
    if claim(link, by: hello.keys), !book.isBlocked(hello.keys.fingerprint.number) {
      tell(hello.keys, isNew: false)
    }
  }

  /// Marks who sits at the other end of a link, by their own claim.
  ///
  /// - Returns: whether they have just become direct by it.
  private mutating func claim(_ link: LinkID, by keys: PublicKeys) -> Bool {
    guard let state = links[link], state.claimedBy != keys else { return false }
    let wasDirect = isDirect(keys)
    links[link]?.claimedBy = keys
    if let before = state.claimedBy { tellWhetherDirect(before) }
    if let fingerprint = people[keys]?.fingerprint { effects.append(.claimed(link, fingerprint)) }
    replaceOlderLinks(than: link, of: keys, endpoint: state.endpoint)
    return !wasDirect
  }

  /// Two links to one person at one host are one too many: the newest stays.
  ///
  /// The side with the lower fingerprint closes, so that both do not close another one. The hello
  /// is only a claim: that both links end at one host is what makes it safe to act on.
  private mutating func replaceOlderLinks(
    than newest: LinkID, of keys: PublicKeys, endpoint: String
  ) {
    guard ownFingerprint < keys.fingerprint else { return }
    for (link, state) in links.sorted(by: { $0.key < $1.key })
    where link < newest && state.claimedBy == keys && state.endpoint == endpoint {
      effects.append(.close(link, because: .replaced))
    }
  }

  /// Answers a stranger heard over a relay with a hello of our own.
  ///
  /// Hellos go out when a link comes up and reach two hops. Whoever joins at the far end of a chain
  /// would be heard by us and never hear us: the one between keeps no copy of our hello.
  private mutating func answerStranger(at moment: Moment) {
    if let last = lastAnswer, moment.instant - last < Self.answeringInterval { return }
    lastAnswer = moment.instant
    let delay = cryptography.random(in: .milliseconds(200)...(.milliseconds(1_000)))
    let due = moment.instant + delay
    announcementDue = min(announcementDue ?? due, due)
  }

  mutating func suspectClock(_ keys: PublicKeys, time: Timestamp, at moment: Moment) {
    let offset = clockSuspicion.heard(
      keys, time: time, now: moment.instant, wallClock: moment.wallClock)
    if let offset { effects.append(.warning(.clock(behind: offset))) }
  }

  // MARK: Who is who

  /// Makes sure that whoever sent us a message can be answered.
  mutating func notePerson(_ keys: PublicKeys, _ fingerprint: Fingerprint, from link: LinkID) {
    guard people[keys] == nil else { return }
    people.set(HeardPerson(fingerprint: fingerprint, name: ""), for: keys, on: link)
  }

  func isDirect(_ keys: PublicKeys) -> Bool { links.values.contains { $0.claimedBy == keys } }

  func name(of keys: PublicKeys) -> String {
    if let heard = people[keys], heard.newestHello != nil { return heard.name }
    guard let contact = book.contact(keys.fingerprint.number), contact.keys == keys else {
      return ""
    }
    return contact.name
  }

  private func person(_ keys: PublicKeys) -> Person {
    let fingerprint = people[keys]?.fingerprint ?? cryptography.fingerprint(of: keys)
    let standing = book.standing(of: keys)
    let isPinned = standing == .pinned
    return Person(
      keys: keys, fingerprint: fingerprint, name: name(of: keys), isDirect: isDirect(keys),
      isPinned: isPinned,
      isVerified: isPinned && book.contact(fingerprint.number)?.isVerified == true,
      isBlocked: book.isBlocked(fingerprint.number),
      contradictsPin: !isPinned && standing != .unknown,
      heard: people[keys]?.newestHello?.time)
  }

  /// Everyone known: those heard in this run and those pinned, by number.
  public var everyone: [Person] {
    let heard = Set(people.entries.map(\.key))
    let all = heard.union(book.contacts.map(\.keys))
    return all.map(person).sorted { ($0.number, $0.fingerprint) < ($1.number, $1.fingerprint) }
  }

  mutating func tell(_ keys: PublicKeys, isNew: Bool) {
    effects.append(.person(person(keys), isNew: isNew))
  }

  /// Tells that someone is no longer direct, if so.
  mutating func tellWhetherDirect(_ keys: PublicKeys) {
    guard !isDirect(keys), people[keys] != nil,
      !book.isBlocked(keys.fingerprint.number)
    else { return }
    if case .contradicts = book.standing(of: keys) { return }
    tell(keys, isNew: false)
  }

  private mutating func rename(_ keys: PublicKeys, _ name: String) {
    guard book.standing(of: keys) == .pinned, book.contact(keys.fingerprint.number)?.name != name
    else { return }
    change(.rename(keys, name))
  }

  // MARK: Contacts

  /// The keys that a command means, pinned or heard.
  func resolve(_ number: Number, _ fingerprint: Fingerprint?) throws(MeshRefusal) -> PublicKeys {
    guard number != ownFingerprint.number else { throw .isSelf }
    var candidates = Set(people.entries.filter { $0.value.fingerprint.number == number }.map(\.key))
    if let contact = book.contact(number) {
      // Other keys count only where they are asked for by name.
      candidates = fingerprint == nil ? [contact.keys] : candidates.union([contact.keys])
    }
    if let fingerprint {
      candidates = candidates.filter { cryptography.fingerprint(of: $0) == fingerprint }
    }
    guard let keys = candidates.first else { throw .unknownNumber(number) }
    guard candidates.count == 1 else {
      throw .ambiguous(number, candidates.map { cryptography.fingerprint(of: $0) }.sorted())
    }
    return keys
  }

  /// Takes these keys for the owner's of the number from now on, in place of others.
  public mutating func accept(
    _ number: Number, fingerprint: Fingerprint?, at moment: Moment
  ) throws(MeshRefusal) {
    guard number != ownFingerprint.number else { throw .isSelf }
    var candidates = people.entries.filter { $0.value.fingerprint.number == number }.map(\.key)
    let kept = book.contact(number)?.keys
    if let kept, !candidates.contains(kept) { candidates.append(kept) }
    if let fingerprint {
      candidates = candidates.filter { cryptography.fingerprint(of: $0) == fingerprint }
    }
    guard let keys = candidates.first else { throw .unknownNumber(number) }
    guard candidates.count == 1 else {
      throw .ambiguous(number, candidates.map { cryptography.fingerprint(of: $0) }.sorted())
    }
    try pin(.accept(keys, name: name(of: keys)))
    for other in conflicts.removeValue(forKey: number) ?? [] where other != keys { reject(other) }
    rejected.removeAll { $0 == keys }
    if let kept, kept != keys {
      reject(kept)
      carryOut(outbox.fail(kept, because: .keysChanged), at: moment)
    }
    tell(keys, isNew: false)
  }

  /// Shows nothing and answers nothing of a number from now on, or does again.
  public mutating func block(_ number: Number, _ isBlocked: Bool) throws(MeshRefusal) {
    guard number != ownFingerprint.number else { throw .isSelf }
    do {
      try book.apply(isBlocked ? .block(number) : .unblock(number))
    } catch {
      throw .contactsFull
    }
    effects.append(.contacts(isBlocked ? .block(number) : .unblock(number)))
  }

  /// Marks that both people compared the safety number.
  public mutating func verify(
    _ number: Number, fingerprint: Fingerprint?
  ) throws(MeshRefusal) -> PublicKeys {
    let keys = try resolve(number, fingerprint)
    guard conflicts[number] == nil else { throw .keysChanged(number) }
    if case .contradicts = book.standing(of: keys) { throw .keysChanged(number) }
    try pin(.pin(keys, name: name(of: keys)))
    change(.verify(keys))
    return keys
  }

  /// The keys whose safety number is asked for.
  public func keys(_ number: Number, fingerprint: Fingerprint?) throws(MeshRefusal) -> PublicKeys {
    try resolve(number, fingerprint)
  }

  /// The book on disk was changed by another program: this is what it says now.
  public mutating func replaceBook(_ book: ContactBook, at moment: Moment) {
    let before = self.book
    self.book = book
    for contact in before.contacts {
      guard let now = book.contact(contact.number), now.keys != contact.keys else { continue }
      conflicts[contact.number] = nil
      carryOut(outbox.fail(contact.keys, because: .keysChanged), at: moment)
    }
    for contact in book.contacts where before.standing(of: contact.keys) != .pinned {
      rememberPinned(contact.keys)
    }
  }

  /// Pins by an act of the user's own; what was had of them so far goes to disk with it.
  mutating func pin(_ change: ContactChange) throws(MeshRefusal) {
    let before = book
    do {
      try book.apply(change)
    } catch {
      throw .contactsFull
    }
    guard book != before else { return }
    effects.append(.contacts(change))
    switch change {
    case .pin(let keys, _), .accept(let keys, _): rememberPinned(keys)
    case .verify, .rename, .block, .unblock: break
    }
  }

  private mutating func rememberPinned(_ keys: PublicKeys) {
    for record in received.pin(keys) { effects.append(.remember(record)) }
  }

  private mutating func change(_ change: ContactChange) {
    guard (try? book.apply(change)) != nil else { return }
    effects.append(.contacts(change))
  }

  // MARK: Other keys under a pinned number

  /// Says it loudly, once for each keys, and gives the number nothing until the user decides.
  mutating func noteConflict(_ keys: PublicKeys) {
    guard case .contradicts(let kept) = book.standing(of: keys), !rejected.contains(keys),
      people[keys]?.conflictTold != true
    else { return }
    people.update(keys) { $0.conflictTold = true }
    let number = keys.fingerprint.number
    guard !book.isBlocked(number) else { return }
    if conflicts[number, default: []].count < Self.maximumConflictsPerNumber {
      conflicts[number, default: []].insert(keys)
    }
    effects.append(
      .warning(
        .keysChanged(
          kept: cryptography.fingerprint(of: kept), seen: cryptography.fingerprint(of: keys),
          name: name(of: keys))))
  }

  private mutating func reject(_ keys: PublicKeys) {
    rejected.removeAll { $0 == keys }
    rejected.append(keys)
    if rejected.count > Self.maximumRejected { rejected.removeFirst() }
  }

  static var maximumConflictsPerNumber: Int { 16 }
  static var maximumRejected: Int { 256 }
}
