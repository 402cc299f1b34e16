import Testing
import Wire

@testable import Chat

@Suite("People")
struct PeopleTests {
  private func people(_ peers: Peer...) -> People {
    var people = People()
    for peer in peers { people.learn(peer) }
    return people
  }

  @Test("a person is found by number, fingerprint and name")
  func lookup() {
    let people = people(.sample(.alice, "Alice"), .sample(.bob, "Bob Jones"))
    #expect(people.lookup("e492 6d25") == .found(.number(Fingerprint.alice.number)))
    #expect(people.lookup("7112233445566778") == .found(.fingerprint(.alice)))
    #expect(people.lookup("ALICE") == .found(.fingerprint(.alice)))
    #expect(people.lookup("  bob   jones ") == .found(.fingerprint(.bob)))
    #expect(people.lookup("M492-6D25") == .found(.number(Fingerprint.bob.number)))
  }

  @Test("a number is taken also when nobody with it is known")
  func unknownNumber() {
    #expect(people().lookup("E492-6D25") == .found(.number(Fingerprint.alice.number)))
  }

  private func refusal(_ lookup: Lookup) -> String? {
    if case .refused(let why) = lookup { why } else { nil }
  }

  @Test("a name's beginning is nobody, and the nearest name is proposed")
  func beginning() {
    let people = people(.sample(.alice, "Alice"))
    #expect(refusal(people.lookup("Ali")) == "nobody called Ali is known; did you mean Alice?")
    #expect(refusal(people.lookup("Zoe")) == "nobody called Zoe is known")
  }

  @Test("of two people of one name neither is chosen")
  func twoOfOneName() {
    let people = people(.sample(.alice, "Sam"), .sample(.bob, "sam"))
    #expect(
      refusal(people.lookup("Sam"))
        == "Sam is the name of [E492-6D25] and [M492-6D25]: use the number")
  }

  @Test("several keys of one number are named, to choose by fingerprint")
  func contested() {
    let people = people(.sample(.alice, "Alice"), .sample(.aliceAgain, "Alice"))
    let why = refusal(people.lookup("E492-6D25"))
    #expect(why?.contains("7112233445566778") == true)
    #expect(why?.contains("7112233445ffffff") == true)
    #expect(people.lookup("7112233445ffffff") == .found(.fingerprint(.aliceAgain)))
    #expect(people.label(.alice).plain == "Alice [E492-6D25 7112233445566778]")
  }

  @Test("eight letters are a name when that is known, a number when that is")
  func nameLikeNumber() throws {
    let number = try Number(parsing: "Svetlana")
    let bearer = Fingerprint(value: 0xB000_0000_0000_0001)
    #expect(
      people(.sample(bearer, "Svetlana")).lookup("svetlana") == .found(.fingerprint(bearer)))
    let owner = Fingerprint(value: number.value << 24 | 5)
    #expect(people(.sample(owner, "X")).lookup("svetlana") == .found(.number(number)))
    let both = people(.sample(bearer, "Svetlana"), .sample(owner, "X"))
    #expect(refusal(both.lookup("svetlana"))?.contains("with its hyphen") == true)
    #expect(refusal(people().lookup("svetlana"))?.contains("SVET-1ANA") == true)
    #expect(people().lookup("SVET-1ANA") == .found(.number(number)))
  }

  @Test("a reserved number says what it is", arguments: ["0000-0000", "12345678", "abcdefgh"])
  func reserved(text: String) {
    #expect(refusal(people().lookup(text))?.contains("nobody's number") == true)
  }

  @Test("a name's brackets are not ours")
  func brackets() {
    let people = people(.sample(.mallory, "Alice [E492-6D25]"))
    #expect(people.label(.mallory).plain == "Alice (E492-6D25) [J492-6D25]")
  }

  @Test("hostile names come out as one harmless line", arguments: Hostile.texts)
  func hostile(name: String) {
    let label = people(.sample(.mallory, name)).label(.mallory).plain
    #expect(label.hasSuffix("[J492-6D25]"))
    #expect(
      label.unicodeScalars.allSatisfy {
        ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
      })
    #expect(label.filter { $0 == "[" }.count == 1)
    #expect(CellWidth.most(String(label.dropLast(12))) <= 500)
  }

  @Test("a name of the full 64 bytes is shown")
  func fullName() {
    #expect(Hostile.fullName.utf8.count == 64)
    #expect(people(.sample(.bob, Hostile.fullName)).label(.bob).plain.contains("abc"))
  }

  @Test("a name that is or looks like another's gets a remark, the verified one none")
  func remarks() {
    let people = people(
      .sample(.alice, "Alice", verified: true), .sample(.mallory, "\u{410}lice"),
      .sample(.bob, "alice"))
    #expect(people.remark(on: .alice) == nil)
    #expect(people.remark(on: .mallory)?.contains("looks like Alice [E492-6D25]") == true)
    #expect(people.remark(on: .bob) == "not the one of this name with [E492-6D25]")
  }

  @Test("a name that looks like somebody else's number gets a remark")
  func numberRemark() {
    let people = people(.sample(.mallory, "E492-6D25"), .sample(.alice, "E492-6D25"))
    #expect(people.remark(on: .mallory)?.contains("looks like a number") == true)
    #expect(people.remark(on: .alice)?.contains("looks like a number") != true)
  }

  @Test("the table stays bounded, and the verified stay in it")
  func bounded() {
    var people = people(.sample(.alice, "Alice", verified: true))
    for value in 0..<UInt64(People.capacity + 50) {
      people.learn(.sample(Fingerprint(value: 1 << 60 | value << 24), "n\(value)"))
    }
    #expect(people.all.count == People.capacity)
    #expect(people[.alice] != nil)
    #expect(people[Fingerprint(value: 1 << 60)] == nil)
    #expect(people.named("n0").isEmpty)
    #expect(people.claiming(Fingerprint(value: 1 << 60).number).isEmpty)
  }
}
