import Foundation
import Testing
import Wire

@testable import Identity

@Suite("cards that contradict a contact") struct ContradictionTests {
  private let scratch: Scratch
  private let store: ContactStore
  private let twins: [Identity]
  private let cards: [ContactCard]
  private let number: Number

  init() throws {
    scratch = try Scratch()
    store = ContactStore(home: try scratch.home(), identity: try .sample(1))
    twins = try Fixture.load().twins.map { try $0.identity() }
    cards = twins.map { $0.makeCard(name: "Twin", time: Timestamp(milliseconds: 1)) }
    number = twins[0].fingerprint.number
  }

  @Test("a card of nobody known is pinned; again it is known")
  func pinned() throws {
    #expect(try store.importCard(cards[0]) == .pinned)
    #expect(try store.importCard(cards[0]) == .knownBefore)
    #expect(try store.load().standing(of: twins[0].publicKeys) == .pinned)
    #expect(try scratch.names == ["contacts"])
  }

  @Test("a card with other keys of the number is kept aside until it is accepted")
  func contradiction() throws {
    _ = try store.importCard(cards[0])
    try store.update([.verify(twins[0].publicKeys)])
    for _ in 0..<2 {
      #expect(try store.importCard(cards[1]) == .contradicts(twins[0].publicKeys))
    }
    #expect(try store.load().standing(of: twins[0].publicKeys) == .pinned)
    #expect(try store.contradictingCards(of: number) == [cards[1]])
    #expect(try store.contradictingCards(of: keys(1).fingerprint.number) == [])
    let book = try store.accept(cards[1])
    #expect(book.standing(of: twins[1].publicKeys) == .pinned)
    #expect(book.contact(number)?.isVerified == false)
    #expect(try store.contradictingCards(of: number) == [])
    #expect(try store.importCard(cards[0]) == .contradicts(twins[1].publicKeys))
  }

  @Test("a card that was changed is no longer the one kept; the newest of the same keys stays")
  func newest() throws {
    _ = try store.importCard(cards[0])
    _ = try store.importCard(cards[1])
    let newer = twins[1].makeCard(name: "Twin anew", time: Timestamp(milliseconds: 2))
    _ = try store.importCard(newer)
    #expect(try store.contradictingCards(of: number) == [newer])
  }

  @Test("64 are kept, the newest")
  func bound() throws {
    var contradictions = Contradictions()
    let cards = try (0..<70).map { index in
      try Identity.sample(UInt8(index)).makeCard(name: "", time: .zero)
    }
    for card in cards { contradictions.add(card) }
    #expect(contradictions.cards == Array(cards.suffix(64)))
    #expect(Contradictions(encoded: contradictions.encoded)?.cards == contradictions.cards)
    #expect(contradictions.encoded.count <= Contradictions.maximumLength)
    for length in 1..<500 where length != 139 && length != 278 && length != 417 {
      #expect(Contradictions(encoded: Array(contradictions.encoded[..<length])) == nil)
    }
  }

  @Test("a damaged file of them is refused and left as it is, and the contacts can still be read")
  func damage() throws {
    _ = try store.importCard(cards[0])
    _ = try store.importCard(cards[1])
    var bytes = try scratch.bytes("contradictions")
    bytes[60] ^= 1
    try scratch.write(bytes, "contradictions")
    let refusal = ContactStore.Failure.unreadable(path: scratch.path + "/home/contradictions")
    #expect(throws: refusal) { try store.contradictingCards(of: number) }
    #expect(throws: refusal) { try store.importCard(cards[1]) }
    #expect(try scratch.bytes("contradictions") == bytes)
    #expect(try store.load().contacts.count == 1)
  }
}
