public import Wire

/// Cards whose number is pinned with other keys: what there is to accept.
///
/// A person with a new device sends a new card; somebody else may do so in their name. So it is
/// kept aside until it is accepted by its fingerprint.
///
/// As bytes: for each card its length (2) and the card.
struct Contradictions {
  /// The oldest goes when another one comes.
  static let maximumCount = 64
  private static let maximumCardLength = Hello.payloadLengths.upperBound + 8
  static let maximumLength = maximumCount * (2 + maximumCardLength)

  /// The oldest first.
  private(set) var cards: [ContactCard] = []

  init() {}

  /// Reads what `encoded` wrote; nil for anything else.
  init?(encoded bytes: [UInt8]) {
    var rest = bytes[...]
    while let high = rest.popFirst() {
      guard let low = rest.popFirst(), cards.count < Self.maximumCount else { return nil }
      let length = Int(high) << 8 | Int(low)
      guard rest.count >= length, let card = try? ContactCard(bytes: Array(rest.prefix(length)))
      else { return nil }
      cards.append(card)
      rest = rest.dropFirst(length)
    }
  }

  var encoded: [UInt8] {
    cards.reduce(into: []) { bytes, card in
      let card = card.bytes
      bytes.append(bigEndian: UInt16(card.count))
      bytes += card
    }
  }

  /// Adds a card, in the place of another one of the same keys.
  mutating func add(_ card: ContactCard) {
    cards.removeAll { $0.hello.keys == card.hello.keys }
    cards.append(card)
    cards.removeFirst(max(0, cards.count - Self.maximumCount))
  }

  mutating func remove(_ keys: PublicKeys) { cards.removeAll { $0.hello.keys == keys } }
}

extension ContactStore {
  /// What became of a card that was imported.
  public enum Imported: Hashable, Sendable {
    case pinned
    /// These keys were pinned before; nothing changed.
    case knownBefore
    /// Other keys of that number, these here, are pinned; the card is kept aside.
    case contradicts(PublicKeys)
  }

  /// Pins the keys of an authentic card, or keeps the card aside when it contradicts a contact.
  public func importCard(_ card: ContactCard) throws(Failure) -> Imported {
    let (keys, name) = (card.hello.keys, card.hello.name)
    switch try load().standing(of: keys) {
    case .pinned: return .knownBefore
    case .contradicts(let pinned):
      try changeContradictions { $0.add(card) }
      return .contradicts(pinned)
    case .unknown:
      // Somebody may have pinned the number meanwhile: what the book says then decides.
      switch try update([.pin(keys, name: name)]).standing(of: keys) {
      case .contradicts(let pinned):
        try changeContradictions { $0.add(card) }
        return .contradicts(pinned)
      default: return .pinned
      }
    }
  }

  /// The cards kept aside that carry `number`, the oldest first.
  public func contradictingCards(of number: Number) throws(Failure) -> [ContactCard] {
    try loadContradictions().cards.filter { $0.hello.keys.fingerprint.number == number }
  }

  /// Puts the keys of a card that was kept aside in the place of those that are pinned.
  @discardableResult
  public func accept(_ card: ContactCard) throws(Failure) -> ContactBook {
    let book = try update([.accept(card.hello.keys, name: card.hello.name)])
    try changeContradictions { $0.remove(card.hello.keys) }
    return book
  }

  private func loadContradictions() throws(Failure) -> Contradictions {
    guard let bytes = try load(contradictions) else { return Contradictions() }
    guard let read = Contradictions(encoded: bytes) else {
      throw .unreadable(path: contradictions.home.path(of: contradictions.name))
    }
    return read
  }

  private func changeContradictions(
    _ body: (inout Contradictions) -> Void
  ) throws(Failure) {
    let lock = try lock()
    let old = try loadContradictions()
    var new = old
    body(&new)
    if new.cards != old.cards { try save(new.encoded, in: contradictions) }
    lock.release()
  }
}
