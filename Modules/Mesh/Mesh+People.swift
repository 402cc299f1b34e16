internal import Identity
internal import Wire

extension Mesh {
  /// Everyone heard, pinned or not.
  static var peopleCapacity: Int { 1_024 }
  /// Of them, those first heard on one link.
  static var peopleShare: Int { 256 }
  /// The least time between two new names of one person that go into the contacts on disk.
  static var renamingInterval: Duration { .seconds(60) }

  /// Everyone known: those heard in this run and those pinned, by number.
  public var everyone: [Person] {
    let heard = people.entries.map(\.key)
    let pinned = book.contacts.map(\.keys).filter { people[$0] == nil }
    return (heard + pinned).map(person).sorted {
      ($0.number, $0.fingerprint, $0.keys) < ($1.number, $1.fingerprint, $1.keys)
    }
  }

  /// Makes sure that whoever sent us a message can be answered.
  mutating func notePerson(_ keys: PublicKeys, _ fingerprint: Fingerprint, from link: LinkID) {
    guard people[keys] == nil else { return }
    people.set(HeardPerson(fingerprint: fingerprint), for: keys, on: link)
  }

  /// What is known of somebody's keys; our own number is pinned with our own.
  func standing(of keys: PublicKeys) -> Standing {
    if keys != ownKeys, number(of: keys) == ownFingerprint.number { return .contradicts(ownKeys) }
    return book.standing(of: keys)
  }

  func isDirect(_ keys: PublicKeys) -> Bool { links.contains(claimOf: keys) }

  /// As last heard, or as the contacts have it; empty when neither is.
  func name(of keys: PublicKeys) -> String {
    if let heard = people[keys], heard.newestHello != nil { return heard.name }
    guard let contact = book.contact(number(of: keys)), contact.keys == keys else { return "" }
    return contact.name
  }

  func number(of keys: PublicKeys) -> Number {
    fingerprint(of: keys).number
  }

  private func person(_ keys: PublicKeys) -> Person {
    let heard = people[keys]
    let fingerprint = heard?.fingerprint ?? cryptography.fingerprint(of: keys)
    let standing = standing(of: keys)
    let isPinned = standing == .pinned
    return Person(
      keys: keys, fingerprint: fingerprint, name: name(of: keys), isDirect: isDirect(keys),
      isPinned: isPinned,
      isVerified: isPinned && book.contact(fingerprint.number)?.isVerified == true,
      isBlocked: book.isBlocked(fingerprint.number),
      contradictsPin: !isPinned && standing != .unknown,
      heard: heard?.newestHello?.time)
  }

  // MARK: Telling

  mutating func tell(_ keys: PublicKeys, isNew: Bool) {
    effects.append(.person(person(keys), isNew: isNew))
  }

  /// Whether the user is told of someone: not of the blocked, nor of who contradicts a pin.
  func isShown(_ keys: PublicKeys) -> Bool {
    if case .contradicts = standing(of: keys) { return false }
    return !book.isBlocked(number(of: keys))
  }

  /// Tells that someone is no longer direct, if so.
  mutating func tellWhetherDirect(_ keys: PublicKeys) {
    guard !isDirect(keys), people[keys] != nil, isShown(keys) else { return }
    tell(keys, isNew: false)
  }

  /// Takes a pinned person's new name into the contacts, not more often than a disk should be
  /// written for someone else's whims.
  mutating func rename(_ keys: PublicKeys, _ name: String, at moment: Moment) {
    guard let contact = book.contact(number(of: keys)), contact.keys == keys,
      contact.name != name
    else { return }
    if let last = people[keys]?.renamedAt, moment.instant - last < Self.renamingInterval { return }
    people.update(keys) { $0.renamedAt = moment.instant }
    change(.rename(keys, name))
  }
}
