internal import CommandLine
internal import Identity
internal import Unlock
internal import Wire

/// The commands about other people.
extension KeyTool {
  /// In bytes; a card has 284 at most, and may stand in white space.
  static let maximumCardFile = 16_384

  func importCard() throws {
    let path = try arguments.required(Self.card)
    let card = try readCard(path)
    let (own, store) = try open()
    let keys = card.hello.keys
    if keys == own.identity.publicKeys { throw Failure("that is your own card") }
    let number = keys.fingerprint.number
    switch try Failure.of({ () throws(ContactStore.Failure) in try store.importCard(card) }) {
    case .pinned: break
    case .knownBefore: console.note("\(number) is in your contacts already")
    case .contradicts(let pinned):
      throw Failure(
        "\(number) is in your contacts with other keys (fingerprint \(pinned.fingerprint)); "
          + "this card's keys have fingerprint \(keys.fingerprint)",
        hints: "ask the person whether they have new keys, over a line you trust; if so: "
          + "airlink-keytool accept \(number) \(keys.fingerprint)")
    }
    let book = try load(store)
    if book.isBlocked(number) {
      console.warning("\(number) is blocked; take it back: airlink-keytool unblock \(number)")
    }
    warnOfLikeNames(keys, in: book)
    if let contact = book.contact(number) { try show(contact, in: book) }
  }

  private func readCard(_ path: String) throws(Failure) -> ContactCard {
    let bytes =
      path == "-"
      ? try surroundings.input(Self.maximumCardFile)
      : try InputFile.read(path, limit: Self.maximumCardFile)
    let source = path == "-" ? "standard input" : quoted(path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("\(source) is no contact card: it is not text")
    }
    let card: ContactCard
    do throws(ContactCard.DecodeError) { card = try ContactCard(text: text) } catch {
      throw Failure("\(source) is no contact card: \(error.reason)")
    }
    guard card.isSigned else {
      throw Failure("\(source) is no contact card: its signature does not hold")
    }
    let number = card.hello.keys.fingerprint.number
    guard card.isAuthentic else {
      throw Failure("\(source) carries \(number), which is an example and never anybody's number")
    }
    return card
  }

  private func warnOfLikeNames(_ keys: PublicKeys, in book: ContactBook) {
    let number = keys.fingerprint.number
    guard let name = book.contact(number)?.name else { return }
    if NameLikeness.looksLikeNumber(name) {
      console.warning("the name of \(number) looks like a number: \(quoted(name))")
    }
    for other in book.contacts where other.number != number {
      guard NameLikeness.areAlike(name, other.name) else { continue }
      console.warning("the name of \(number) looks like that of \(other.number)")
      return
    }
  }

  func contacts() throws {
    let book = try load(open().store)
    for contact in book.contacts { try show(contact, in: book) }
    for number in book.blockedNumbers where book.contact(number) == nil {
      if wantsJSON {
        try console.print(["event": "blocked", "number": .string(number.description)])
      } else {
        try console.print("\(number)  \(Self.marks(verified: false, blocked: true))")
      }
    }
  }

  func accept() throws {
    let number = try arguments.required(Self.someNumber)
    let fingerprint = arguments[Self.fingerprint]
    let store = try open().store
    let cards = try Failure.of { () throws(ContactStore.Failure) in
      try store.contradictingCards(of: number)
    }
    let fitting = cards.filter { fingerprint == nil || $0.hello.keys.fingerprint == fingerprint }
    guard let card = fitting.first else {
      let book = try load(store)
      if let contact = book.contact(number),
        contact.fingerprint == fingerprint ?? contact.fingerprint,
        cards.isEmpty || fingerprint != nil
      {
        console.note("these keys of \(number) are in your contacts already")
        return try show(contact, in: book)
      }
      throw Failure(
        fingerprint.map { "no card of \(number) with fingerprint \($0) was imported" }
          ?? "no keys of \(number) are known",
        hints: "import the person's card first: airlink-keytool import FILE")
    }
    guard fitting.count == 1 else {
      let all = fitting.map(\.hello.keys.fingerprint.description).joined(separator: ", ")
      throw Failure(
        "several cards carry \(number): their fingerprints are \(all)",
        hints: "say which: airlink-keytool accept \(number) FINGERPRINT")
    }
    let book = try Failure.of { () throws(ContactStore.Failure) in try store.accept(card) }
    if let contact = book.contact(number) { try show(contact, in: book) }
  }

  func block(_ on: Bool) throws {
    let number = try arguments.required(Self.someNumber)
    if number.isReserved { throw Failure("\(number) is an example, and never anybody's number") }
    let (own, store) = try open()
    if on, number == own.identity.fingerprint.number { throw Failure("that is your own number") }
    let book = try update(store, on ? .block(number) : .unblock(number))
    guard wantsJSON else { return }
    if let contact = book.contact(number) { return try show(contact, in: book) }
    try console.print([
      "event": on ? "blocked" : "unblocked", "number": .string(number.description),
    ])
  }

  func verify() throws {
    let number = try arguments.required(Self.someNumber)
    let (own, store) = try open()
    var book = try load(store)
    guard let keys = book.contact(number)?.keys else {
      throw Failure(
        "\(number) is not in your contacts",
        hints: "import the person's card first: airlink-keytool import FILE")
    }
    if arguments[Self.same] { book = try update(store, .verify(keys)) }
    guard let contact = book.contact(number), contact.keys == keys else {
      throw Failure("the keys of \(number) have just changed: compare again")
    }
    let safety = SafetyNumber(own.identity.publicKeys, keys)
    if wantsJSON {
      var object = describe(contact, in: book)
      object["event"] = "safety"
      object["safetyNumber"] = .string(safety.description)
      try console.print(object)
    } else {
      try console.print(safety.description)
      if arguments[Self.same] {
        console.note("\(number) \(quoted(contact.name)) is marked as verified")
      }
    }
  }

  private func load(_ store: ContactStore) throws(Failure) -> ContactBook {
    try Failure.of { () throws(ContactStore.Failure) in try store.load() }
  }

  private func update(
    _ store: ContactStore, _ change: ContactChange
  ) throws(Failure) -> ContactBook {
    try Failure.of { () throws(ContactStore.Failure) in try store.update([change]) }
  }

  private func show(_ contact: Contact, in book: ContactBook) throws {
    if wantsJSON { return try console.print(describe(contact, in: book)) }
    let marks = Self.marks(
      verified: contact.isVerified, blocked: book.isBlocked(contact.number))
    try console.print(
      "\(contact.number)  \(marks)  \(contact.fingerprint)  \(DisplayText(name: contact.name))")
  }

  private static func marks(verified: Bool, blocked: Bool) -> String {
    (verified ? "verified" : "        ") + "  " + (blocked ? "blocked" : "       ")
  }

  private func describe(_ contact: Contact, in book: ContactBook) -> JSONObject {
    [
      "event": "contact", "number": .string(contact.number.description),
      "fingerprint": .string(contact.fingerprint.hex), "name": .string(contact.name),
      "verified": .bool(contact.isVerified), "blocked": .bool(book.isBlocked(contact.number)),
    ]
  }
}

extension ContactCard.DecodeError {
  var reason: String {
    switch self {
    case .missingPrefix: "it does not begin with \(ContactCard.textPrefix)"
    case .badBase64: "its letters are cut or changed"
    case .badLength: "it is cut or changed"
    case .nameNotUTF8: "its name is not UTF-8"
    }
  }
}
