internal import CallSignal
internal import Identity
internal import Outbox
internal import Wire

extension Mesh {
  /// Takes in a hello whose signature holds.
  mutating func hear(_ hello: Hello, header: PacketHeader, from link: LinkID, at moment: Moment) {
    let keys = hello.keys
    guard keys != ownKeys else { return }
    let isNear = header.hopLimit == PacketKind.hello.maximumHopLimit
    let known = people[keys]
    if let newest = known?.newestHello, isOutdated(header.time, by: newest.time, at: moment) {
      // It changes nothing; but the newest itself, which the router has forgotten, marks its link.
      if isNear, header.id == newest.id { noteNear(keys, on: link, at: moment) }
      return
    }
    counters.hellosHeard += 1
    suspectClock(keys, time: header.time, at: moment)

    let isFirst = known?.newestHello == nil
    let isRenamed = known?.name != hello.name
    let isJoining = known?.heardAt.map { moment.instant - $0 <= Announcements.joining } ?? false
    var person = known ?? HeardPerson(fingerprint: cryptography.fingerprint(of: keys))
    person.newestHello = (header.time, header.id)
    person.heardAt = moment.instant
    person.name = hello.name
    people.set(person, for: keys, on: link)
    let becameDirect = isNear && claim(link, by: keys, at: moment)

    if case .contradicts(let kept) = standing(of: keys) {
      noteConflict(keys, person.fingerprint, with: kept)
      return
    }
    rename(keys, hello.name, at: moment)
    if !book.isBlocked(person.fingerprint.number) {
      if isFirst || isRenamed || becameDirect { tell(keys, isNew: isFirst) }
      if isFirst || isJoining, !isNear { answerFromAfar(at: moment) }
    }
    carryOut(outbox.heard(keys, now: moment.instant, wallClock: moment.wallClock), at: moment)
  }

  /// A copy of a hello that was seen came straight from the device at the other end of `link`.
  mutating func noteCopy(
    of packet: borrowing PacketView, from link: LinkID, at moment: Moment
  ) {
    // Seen means the same content, so what stands in it was verified.
    let payload = packet.payload
    guard let signing = SigningPublicKey(payload),
      let agreement = AgreementPublicKey(payload, at: SigningPublicKey.byteCount)
    else { return }
    let keys = PublicKeys(signing: signing, agreement: agreement)
    if people[keys]?.newestHello?.id == packet.header.id {
      noteNear(keys, on: link, at: moment)
    }
  }

  /// Whether a hello of this time changes nothing, the newest of the same keys being what it is.
  private func isOutdated(
    _ time: Timestamp, by newest: Timestamp, at moment: Moment
  ) -> Bool {
    time <= newest && newest.since(moment.wallClock) <= SendingClock.maximumLead
  }

  // MARK: Who is near

  /// The newest hello of someone came from the other end of `link`.
  private mutating func noteNear(_ keys: PublicKeys, on link: LinkID, at moment: Moment) {
    guard claim(link, by: keys, at: moment), isShown(keys) else { return }
    tell(keys, isNew: false)
  }

  /// Marks who sits at the other end of a link, by their own claim.
  ///
  /// - Returns: whether they have just become direct by it.
  private mutating func claim(
    _ link: LinkID, by keys: PublicKeys, at moment: Moment
  ) -> Bool {
    // Copies of a hello are free: without a share, two of them in turn would never stop being news.
    guard let index = links.index(of: link), links[index].claimedBy != keys,
      links[index].claims.take(at: moment.instant)
    else { return false }
    let wasDirect = isDirect(keys)
    let before = links[index].claimedBy
    links[index].claimedBy = keys
    if let before { tellWhetherDirect(before) }
    effects.append(.claimed(link, cryptography.fingerprint(of: keys)))
    replaceOlderLinks(of: keys, to: links[index].endpoint)
    return !wasDirect
  }

  /// Two links to one person at one host are one too many: the newest stays.
  ///
  /// The side with the lower fingerprint closes, so that both do not close another one. The hello
  /// is only a claim: that both links end at one host is what makes it safe to act on.
  private mutating func replaceOlderLinks(of keys: PublicKeys, to endpoint: String) {
    guard ownFingerprint < cryptography.fingerprint(of: keys) else { return }
    let theirs = links.all.filter { $0.claimedBy == keys && $0.endpoint == endpoint }
    for link in theirs.dropLast() { close(link.id, because: .replaced) }
  }

  /// Has a link closed, once.
  mutating func close(_ link: LinkID, because fault: LinkFault) {
    guard let index = links.index(of: link), links[index].fault == nil else { return }
    links[index].fault = fault
    effects.append(.close(link, because: fault))
  }

  // MARK: The clock

  /// A hello was too old or too far ahead for the router; it says something of our clock
  /// all the same.
  mutating func judgeClock(
    by packet: borrowing PacketView, from link: LinkID, at moment: Moment
  ) {
    guard packet.header.kind == .hello, packet.refusal == nil,
      let index = links.index(of: link), links[index].clockChecks.take(at: moment.instant),
      let hello = Self.authenticHello(in: packet, cryptography), hello.keys != ownKeys
    else { return }
    // A recording of someone who was heard since then says nothing.
    if let newest = people[hello.keys]?.newestHello, packet.header.time <= newest.time { return }
    suspectClock(hello.keys, time: packet.header.time, at: moment)
  }

  private mutating func suspectClock(_ keys: PublicKeys, time: Timestamp, at moment: Moment) {
    let offset = clockSuspicion.heard(
      keys, time: time, now: moment.instant, wallClock: moment.wallClock)
    if let offset { effects.append(.warning(.clock(behind: offset))) }
  }
}
