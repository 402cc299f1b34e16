internal import CallSignal
public import Identity
internal import Outbox
public import Wire

extension Mesh {
  // MARK: Whom a command means

  /// The keys that a command means, pinned or heard.
  func resolve(_ number: Number, _ fingerprint: Fingerprint?) throws(MeshRefusal) -> PublicKeys {
    // Other keys than the pinned ones count only where they are asked for by name.
    if fingerprint == nil, number != ownFingerprint.number, let contact = book.contact(number) {
      return contact.keys
    }
    return try only(number, fingerprint)
  }

  /// The one of the keys which claim a number that the fingerprint names, where there are several.
  private func only(
    _ number: Number, _ fingerprint: Fingerprint?
  ) throws(MeshRefusal) -> PublicKeys {
    guard number != ownFingerprint.number else { throw .isSelf }
    let candidates = claimants(of: number).filter {
      fingerprint == nil || self.fingerprint(of: $0) == fingerprint
    }
    guard let keys = candidates.first else { throw .unknownNumber(number) }
    guard candidates.count == 1 else {
      throw .ambiguous(number, candidates.map { self.fingerprint(of: $0) }.sorted())
    }
    return keys
  }

  /// Everyone who claims a number: pinned, in conflict with the pin, or heard.
  private func claimants(of number: Number) -> [PublicKeys] {
    var claimants = book.contact(number).map { [$0.keys] } ?? []
    let heard = people.entries.filter { $0.value.fingerprint.number == number }.map(\.key)
    for keys in conflicts.claimants(of: number) + heard where !claimants.contains(keys) {
      claimants.append(keys)
    }
    return claimants
  }

  /// The keys that may be written to or marked as verified.
  func undisputed(
    _ number: Number, _ fingerprint: Fingerprint?
  ) throws(MeshRefusal) -> PublicKeys {
    let keys = try resolve(number, fingerprint)
    guard !conflicts.isOpen(number) else { throw .keysChanged(number) }
    if case .contradicts = standing(of: keys) { throw .keysChanged(number) }
    return keys
  }

  /// The keys whose safety number is asked for.
  public func keys(_ number: Number, fingerprint: Fingerprint?) throws(MeshRefusal) -> PublicKeys {
    try resolve(number, fingerprint)
  }

  // MARK: Acts of the user

  /// Takes these keys for the owner's of the number from now on, in place of others.
  public mutating func accept(
    _ number: Number, fingerprint: Fingerprint?, at moment: Moment
  ) throws(MeshRefusal) {
    let keys = try only(number, fingerprint)
    let former = book.contact(number)?.keys
    try pin(.accept(keys, name: name(of: keys)))
    settle(number, for: keys, against: former, at: moment)
    tell(keys, isNew: false)
  }

  /// Shows nothing and answers nothing of a number from now on, or does again.
  public mutating func block(
    _ number: Number, _ isBlocked: Bool, at moment: Moment
  ) throws(MeshRefusal) {
    guard number != ownFingerprint.number else { throw .isSelf }
    try apply(isBlocked ? .block(number) : .unblock(number))
    endCallWithBlocked(at: moment)
  }

  /// Marks that both people compared the safety number.
  public mutating func verify(
    _ number: Number, fingerprint: Fingerprint?
  ) throws(MeshRefusal) -> PublicKeys {
    let keys = try undisputed(number, fingerprint)
    try pin(.pin(keys, name: name(of: keys)))
    try apply(.verify(keys))
    return keys
  }

  /// The book on disk was changed by another program: this is what it says now.
  public mutating func replaceBook(_ book: ContactBook, at moment: Moment) {
    let before = self.book
    self.book = book
    for contact in book.contacts {
      let former = before.contact(contact.number)
      guard former?.keys != contact.keys else { continue }
      rememberPinned(contact.keys)
      settle(contact.number, for: contact.keys, against: former?.keys, at: moment)
    }
    endCallWithBlocked(at: moment)
  }

  // MARK: Changes of the book

  /// Pins by an act of the user's own; what was had of them so far goes to disk with it.
  mutating func pin(_ change: ContactChange) throws(MeshRefusal) {
    guard try apply(change) else { return }
    switch change {
    case .pin(let keys, _), .accept(let keys, _): rememberPinned(keys)
    case .verify, .rename, .block, .unblock: break
    }
  }

  mutating func change(_ change: ContactChange) { _ = try? apply(change) }

  /// - Returns: whether it changed anything.
  @discardableResult
  private mutating func apply(_ change: ContactChange) throws(MeshRefusal) -> Bool {
    let before = book
    do {
      try book.apply(change)
    } catch {
      throw .contactsFull
    }
    guard book != before else { return false }
    effects.append(.contacts(change))
    return true
  }

  private mutating func rememberPinned(_ keys: PublicKeys) {
    for record in received.pin(keys) { effects.append(.remember(record)) }
    calls.pin(keys)
  }

  // MARK: Other keys under a pinned number

  /// Says it loudly, once for each keys, and gives the number nothing until the user decides.
  mutating func noteConflict(
    _ keys: PublicKeys, _ fingerprint: Fingerprint, with kept: PublicKeys
  ) {
    guard !book.isBlocked(fingerprint.number), conflicts.note(keys, fingerprint.number) else {
      return
    }
    let kept = cryptography.fingerprint(of: kept)
    effects.append(
      .warning(.keysChanged(kept: kept, seen: fingerprint, name: name(of: keys))))
  }

  /// The user decided who has a number: what waits for others fails.
  private mutating func settle(
    _ number: Number, for keys: PublicKeys, against former: PublicKeys?, at moment: Moment
  ) {
    conflicts.settle(number, for: keys, against: former)
    endCall(with: number, unlessWith: keys, at: moment)
    guard let former, former != keys else { return }
    carryOut(outbox.fail(former, because: .keysChanged), at: moment)
  }
}
