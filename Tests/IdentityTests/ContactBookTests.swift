import Testing
import Wire

@testable import Identity

@Suite("contact book") struct ContactBookTests {
  private let ada = keys(1)
  private let other = keys(2)

  private func book(_ changes: ContactChange...) throws -> ContactBook {
    var book = ContactBook()
    for change in changes { try book.apply(change) }
    return book
  }

  @Test("nobody is known at first")
  func empty() {
    let book = ContactBook()
    #expect(book.contacts.isEmpty)
    #expect(book.standing(of: ada) == .unknown)
    #expect(book.contact(ada.fingerprint.number) == nil)
    #expect(!book.isBlocked(ada.fingerprint.number))
  }

  @Test("pinning keeps the keys and the name; a second pin changes nothing")
  func pin() throws {
    let book = try book(.pin(ada, name: "Ada"), .pin(ada, name: "Eve"))
    let contact = try #require(book.contact(ada.fingerprint.number))
    #expect(contact.keys == ada)
    #expect(contact.name == "Ada")
    #expect(!contact.isVerified)
    #expect(contact.fingerprint == ada.fingerprint)
    #expect(contact.number == ada.fingerprint.number)
    #expect(book.standing(of: ada) == .pinned)
    #expect(book.standing(of: other) == .unknown)
  }

  @Test("verifying and renaming count only for exactly the keys that are pinned")
  func verifyAndRename() throws {
    var book = try book(.pin(ada, name: "Ada"), .verify(other), .rename(other, "Eve"))
    #expect(book.contacts.map(\.name) == ["Ada"])
    #expect(book.contact(ada.fingerprint.number)?.isVerified == false)
    try book.apply(.verify(ada))
    try book.apply(.rename(ada, "Ada L."))
    #expect(book.contact(ada.fingerprint.number)?.isVerified == true)
    #expect(book.contact(ada.fingerprint.number)?.name == "Ada L.")
  }

  @Test("accepting keys that are pinned keeps name and mark")
  func acceptSame() throws {
    let book = try book(.pin(ada, name: "Ada"), .verify(ada), .accept(ada, name: "Eve"))
    #expect(book.contacts.map(\.name) == ["Ada"])
    #expect(book.contact(ada.fingerprint.number)?.isVerified == true)
  }

  @Test("accepting a stranger pins them")
  func acceptNew() throws {
    let book = try book(.accept(ada, name: "Ada"))
    #expect(book.standing(of: ada) == .pinned)
  }

  @Test("other keys of a pinned number contradict it until they are accepted, without the mark")
  func contradiction() throws {
    let (first, second) = try Self.colliding()
    let number = first.fingerprint.number
    var book = try book(.pin(first, name: "Ada"), .verify(first), .pin(second, name: "Eve"))
    #expect(book.standing(of: second) == .contradicts(first))
    #expect(book.standing(of: first) == .pinned)
    try book.apply(.verify(second))
    try book.apply(.rename(second, "Eve"))
    #expect(book.contact(number)?.name == "Ada")
    try book.apply(.accept(second, name: "Ada anew"))
    #expect(book.standing(of: second) == .pinned)
    #expect(book.standing(of: first) == .contradicts(second))
    #expect(book.contact(number)?.isVerified == false)
    #expect(book.contact(number)?.name == "Ada anew")
    #expect(book.contacts.count == 1)
  }

  @Test("blocking is by number, works for strangers and takes nothing else away")
  func block() throws {
    let (one, two) = (ada.fingerprint.number, other.fingerprint.number)
    var book = try book(.pin(ada, name: "Ada"), .block(one), .block(two), .block(two))
    #expect(book.isBlocked(one) && book.isBlocked(two))
    #expect(book.blockedNumbers == [one, two].sorted())
    #expect(book.standing(of: ada) == .pinned)
    try book.apply(.unblock(one))
    try book.apply(.unblock(one))
    #expect(!book.isBlocked(one) && book.isBlocked(two))
  }

  @Test("every change done twice is done once")
  func idempotent() throws {
    let changes: [ContactChange] = [
      .pin(ada, name: "Ada"), .verify(ada), .rename(ada, "A"), .block(ada.fingerprint.number),
      .accept(other, name: "Bo"), .unblock(ada.fingerprint.number),
    ]
    var book = ContactBook()
    for change in changes {
      try book.apply(change)
      let once = book
      try book.apply(change)
      #expect(book == once)
    }
  }

  @Test("contacts are in order of name, then of number")
  func order() throws {
    var book = ContactBook()
    for (value, name) in [(1, "bo"), (2, "Ada"), (3, "ADA"), (4, "")] as [(UInt64, String)] {
      try book.apply(.pin(keys(value), name: name))
    }
    let names = book.contacts.map { $0.name.lowercased() }
    #expect(names == ["", "ada", "ada", "bo"])
    #expect(book.contacts[1].number < book.contacts[2].number)
  }

  @Test("the bounds are errors, and leave the book as it was")
  func bounds() throws {
    var book = ContactBook()
    for value in 0..<UInt64(ContactBook.maximumContacts) {
      try book.apply(.pin(keys(value), name: ""))
      try book.apply(.block(keys(value).fingerprint.number))
    }
    let full = book
    let stranger = keys(1 << 20)
    let contacts = ContactError.tooManyContacts(limit: 4_096)
    #expect(throws: contacts) { try book.apply(.pin(stranger, name: "")) }
    #expect(throws: contacts) { try book.apply(.accept(stranger, name: "")) }
    #expect(throws: ContactError.tooManyBlocked(limit: 4_096)) {
      try book.apply(.block(stranger.fingerprint.number))
    }
    #expect(book == full)
    try book.apply(.pin(keys(5), name: "again"))
    try book.apply(.block(keys(5).fingerprint.number))
    #expect(book == full)
    #expect(ContactBook(encoded: full.encoded) == full)
  }

  @Test("a name over 64 bytes is an error")
  func longName() throws {
    let long = String(repeating: "é", count: 33)
    var book = try book(.pin(ada, name: String(repeating: "é", count: 32)))
    let error = ContactError.nameTooLong(limit: 64)
    #expect(throws: error) { try book.apply(.rename(ada, long)) }
    #expect(throws: error) { try book.apply(.pin(other, name: long)) }
    #expect(throws: error) { try book.apply(.accept(other, name: long)) }
  }

  @Test("a book survives being bytes; bytes cut short anywhere, or longer, are no book")
  func coding() throws {
    let book = try book(
      .pin(ada, name: "Ada"), .verify(ada), .pin(other, name: "Zoë 🦊"), .pin(keys(3), name: ""),
      .block(keys(4).fingerprint.number), .block(ada.fingerprint.number))
    let bytes = book.encoded
    #expect(ContactBook(encoded: bytes) == book)
    #expect(ContactBook(encoded: ContactBook().encoded) == ContactBook())
    for length in 0..<bytes.count { #expect(ContactBook(encoded: Array(bytes[..<length])) == nil) }
    #expect(ContactBook(encoded: bytes + [0]) == nil)
  }

  @Test("any byte changed gives another book or none, never a trap")
  func codingDamage() throws {
    let book = try book(
      .pin(ada, name: "Ada"), .pin(other, name: "Bo"), .block(keys(4).fingerprint.number))
    let bytes = book.encoded
    for index in bytes.indices {
      for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8] where bytes[index] != value {
        var changed = bytes
        changed[index] = value
        #expect(ContactBook(encoded: changed) != book, "byte \(index)")
      }
    }
  }

  /// Two people of one number, from the fixture.
  static func colliding() throws -> (PublicKeys, PublicKeys) {
    let twins = try Fixture.load().twins.map { try $0.identity().publicKeys }
    return (twins[0], twins[1])
  }
}
