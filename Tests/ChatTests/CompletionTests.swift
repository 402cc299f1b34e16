import Chat
import Testing
import Wire

@Suite("Completion")
struct CompletionTests {
  private var people: People {
    var people = People()
    people.learn(.sample(.alice, "Alice"))
    people.learn(.sample(.bob, "Bob Jones"))
    people.learn(.sample(.mallory, "\u{1B}[31mAl"))
    return people
  }

  private func offers(_ typed: String) -> [String] {
    people.completion(of: typed).candidates.map(\.replacement)
  }

  @Test(
    "commands are completed, with a space where more follows",
    arguments: [
      ("/w", ["who"]), ("/an", ["answer", "announce"]), ("/t", ["to "]), ("/zzz", []),
      ("/VER", ["verify "]), ("/help ve", ["verify"]), ("/mute o", ["off", "on"]),
    ])
  func commands(typed: String, expected: [String]) {
    #expect(offers(typed) == expected)
  }

  @Test("all commands are offered after the slash")
  func all() {
    #expect(offers("/").count == SlashCommand.allCases.count)
  }

  @Test("plain text and a text with two slashes complete to nothing", arguments: ["", "al", "//w"])
  func text(typed: String) {
    #expect(offers(typed).isEmpty)
  }

  @Test("a paste of several rows completes to nothing")
  func paste() {
    #expect(offers("/to A\n/t").isEmpty)
  }

  @Test("names are completed whatever their case, with spaces in them")
  func names() {
    #expect(offers("/to al") == ["Alice"])
    #expect(offers("/call bob j") == ["Bob Jones"])
    #expect(people.completion(of: "/call bob j").replacing == 5)
    #expect(offers("/who al").isEmpty)
  }

  @Test("numbers are completed")
  func numbers() {
    #expect(offers("/block e49") == ["E492-6D25"])
    #expect(Set(offers("/to ")) == ["E492-6D25", "M492-6D25", "J492-6D25"])
  }

  @Test("a name that cannot be typed, or that two people bear, completes to the number")
  func untypeable() {
    var people = people
    people.learn(.sample(.aliceAgain, "Alice"))
    let offers = people.completion(of: "/to al").candidates.map(\.replacement)
    #expect(offers.sorted() == ["7112233445566778", "7112233445ffffff"])
  }

  @Test("what a list of candidates shows is harmless")
  func harmless() {
    for candidate in people.completion(of: "/to ").candidates {
      #expect(!candidate.shown.unicodeScalars.contains("\u{1B}"))
      #expect(!candidate.replacement.unicodeScalars.contains("\u{1B}"))
    }
  }

  @Test("one Tab fills in what all candidates share")
  func common() {
    #expect(people.completion(of: "/an").commonBeginning == "an")
    #expect(people.completion(of: "/a").commonBeginning == "a")
    #expect(people.completion(of: "/to al").commonBeginning == "Alice")
    #expect(people.completion(of: "/zzz").commonBeginning == "")
  }
}
