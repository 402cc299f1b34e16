import CommandLine
import Foundation
import Identity
import Testing
import Wire

@testable import KeyTool

@Suite("keytool: contacts") struct ContactCommandTests {
  private let desk: Desk
  private let ada: String
  private let bob: String

  init() throws {
    desk = try Desk()
    ada = desk.create("ada", name: "Ada")
    bob = desk.create("bob", name: "Bob")
  }

  @Test("a card goes through a pipe from one to the other, and both compare one safety number")
  func pipe() throws {
    for (from, to) in [("ada", "bob"), ("bob", "ada")] {
      let card = desk.run(from, "card")
      #expect(card.lines.count == 1)
      let imported = desk.run(to, "import", "-", input: card.output)
      #expect(imported.code == .done)
      #expect(imported.errors.isEmpty)
    }
    #expect(desk.run("bob", "contacts").lines.map { $0.prefix(9) } == [Substring(ada)])
    let numbers = [desk.run("ada", "verify", bob), desk.run("bob", "verify", ada)].map(\.output)
    #expect(numbers[0] == numbers[1])
    #expect(numbers[0].split(separator: " ").count == 12)
    let marked = desk.run("ada", "verify", bob.lowercased(), "--same")
    #expect(marked.output == numbers[0])
    #expect(marked.errors == "airlink-keytool: \(bob) 'Bob' is marked as verified\n")
    let line = try #require(desk.run("ada", "contacts").lines.first)
    #expect(line.hasPrefix("\(bob)  verified  "))
    #expect(line.hasSuffix("  Bob"))
    let object = try desk.run("ada", "contacts", "--json").object()
    #expect(object["verified"] as? Bool == true)
    #expect(object["blocked"] as? Bool == false)
    #expect(object["number"] as? String == bob)
    let safety = try desk.run("ada", "verify", bob, "--json").object()
    #expect(safety["event"] as? String == "safety")
    #expect((safety["safetyNumber"] as? String).map { $0 + "\n" } == numbers[0])
  }

  @Test("a card is signed now, written to a new file on demand, and never over another")
  func cardOut() throws {
    let file = desk.path + "/card"
    let written = desk.run("ada", "card", "--out", file)
    #expect(written.code == .done && written.output.isEmpty)
    let text = try desk.text("card")
    #expect(text == desk.run("ada", "card").output)
    #expect(text == desk.run("ada", "card", "--out", "-").output)
    let card = try ContactCard(text: text)
    #expect(card.time == Desk.now && card.isAuthentic && card.hello.name == "Ada")
    let again = desk.run("bob", "card", "--out", file)
    #expect(again.code == .failed)
    #expect(try desk.text("card") == text)
    #expect(desk.run("ada", "card", "--out", desk.path + "/no/such").code == .failed)
    let object = try desk.run("ada", "card", "--json").object()
    #expect(object["event"] as? String == "card")
    #expect(object["card"] as? String == card.text)
    #expect(object["number"] as? String == ada)
    #expect(desk.run("bob", "import", file).code == .done)
  }

  @Test("a card may have white space around its text")
  func whiteSpace() {
    let card = desk.run("ada", "card").output
    #expect(desk.run("bob", "import", "-", input: "\r\n \t" + card + "\n\n  ").code == .done)
  }

  @Test("what is no card is refused in one line, and nothing is kept")
  func badCards() throws {
    let card = desk.run("ada", "card").output.trimmingCharacters(in: .newlines)
    var middle = Array(card)
    middle[60] = middle[60] == "A" ? "B" : "A"
    let bad = [
      "": "does not begin", "hello": "does not begin", String(card.dropFirst()): "does not begin",
      String(card.dropLast(9)): "cut", card + "=": "cut", card + " " + card: "cut",
      String(middle): "signature", "airlink-card-v1:": "cut",
    ]
    for (text, reason) in bad {
      let result = desk.run("bob", "import", "-", input: text)
      #expect(result.code == .failed)
      #expect(result.errors.contains(reason), "\(text): \(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    let file = desk.path + "/bytes"
    try Data([0x80, 0xFF]).write(to: URL(filePath: file))
    #expect(desk.run("bob", "import", file).errors.contains("is not text"))
    let large = try desk.write(String(repeating: " ", count: 16_384) + card, "large")
    #expect(desk.run("bob", "import", large).errors.contains("over 16384 bytes"))
    #expect(desk.run("bob", "import", "/dev/zero").errors.contains("over 16384 bytes"))
    #expect(desk.run("bob", "import", desk.path + "/none").errors.contains("No such file"))
    #expect(desk.run("bob", "import", desk.path).errors.contains("Is a directory"))
    #expect(desk.run("bob", "import").code == .usage)
    #expect(desk.names("bob") == ["identity", "identity.key"])
  }

  @Test("one's own card and one's own number are refused")
  func own() {
    let card = desk.run("ada", "card").output
    #expect(desk.run("ada", "import", "-", input: card).errors.contains("your own card"))
    #expect(desk.run("ada", "block", ada).errors.contains("your own number"))
    #expect(desk.run("ada", "contacts").output.isEmpty)
  }

  @Test("a card imported twice is said to be known, and changes nothing")
  func twice() {
    let card = desk.run("ada", "card").output
    desk.run("bob", "import", "-", input: card)
    desk.run("bob", "verify", ada, "--same")
    let again = desk.run("bob", "import", "-", input: card)
    #expect(again.code == .done)
    #expect(again.errors == "airlink-keytool: \(ada) is in your contacts already\n")
    #expect(again.output.contains("verified"))
  }

  @Test("other keys of a contact's number are refused until accepted by their fingerprint")
  func contradiction() throws {
    let twins = try Twins()
    desk.run("ada", "import", "-", input: twins.cards[0])
    desk.run("ada", "verify", twins.number, "--same")
    let refused = desk.run("ada", "import", "-", input: twins.cards[1])
    #expect(refused.code == .failed)
    #expect(refused.output.isEmpty)
    for fingerprint in twins.fingerprints { #expect(refused.errors.contains(fingerprint)) }
    #expect(
      refused.errors.contains(
        "airlink-keytool accept \(twins.number) \(twins.fingerprints[1])"))
    #expect(desk.run("ada", "contacts").output.contains(twins.fingerprints[0]))
    let accepted = desk.run("ada", "accept", twins.number, twins.fingerprints[1])
    #expect(accepted.code == .done)
    let object = try desk.run("ada", "contacts", "--json").object()
    #expect(object["fingerprint"] as? String == twins.fingerprints[1])
    #expect(object["verified"] as? Bool == false)
    #expect(object["name"] as? String == "Twin B")
  }

  @Test("accept wants no fingerprint where one card fits, and says when none does")
  func acceptOne() throws {
    let twins = try Twins()
    let none = desk.run("ada", "accept", twins.number)
    #expect(none.code == .failed)
    #expect(none.errors.contains("hint: import the person's card first"))
    desk.run("ada", "import", "-", input: twins.cards[0])
    let known = desk.run("ada", "accept", twins.number)
    #expect(known.code == .done)
    #expect(known.errors.contains("in your contacts already"))
    let other = desk.run("ada", "accept", twins.number, twins.fingerprints[1])
    #expect(other.code == .failed)
    #expect(other.errors.contains("no card of \(twins.number) with fingerprint"))
    desk.run("ada", "import", "-", input: twins.cards[1])
    #expect(desk.run("ada", "accept", twins.number).code == .done)
    #expect(desk.run("ada", "contacts").output.contains(twins.fingerprints[1]))
    // And back again, by importing the first one's card anew.
    desk.run("ada", "import", "-", input: twins.cards[0])
    #expect(desk.run("ada", "accept", twins.number, twins.fingerprints[0]).code == .done)
  }

  @Test("blocking works for contacts and for strangers, and is taken back")
  func block() throws {
    desk.run("bob", "import", "-", input: desk.run("ada", "card").output)
    let result = desk.run("bob", "block", ada)
    #expect(result.code == .done && result.output.isEmpty && result.errors.isEmpty)
    #expect(desk.run("bob", "block", "7m2k q9xd").code == .done)
    let lines = desk.run("bob", "contacts").lines
    #expect(lines[0].hasPrefix("\(ada)            blocked  "))
    #expect(lines[1] == "7M2K-Q9XD            blocked")
    let objects = desk.run("bob", "contacts", "--json").lines
    #expect(objects[0].contains("\"blocked\":true"))
    #expect(objects[1] == #"{"event":"blocked","number":"7M2K-Q9XD"}"#)
    let blocked = try desk.run("bob", "block", ada, "--json").object()
    #expect(blocked["blocked"] as? Bool == true)
    #expect(desk.run("bob", "unblock", ada).code == .done)
    #expect(
      desk.run("bob", "unblock", "7M2K-Q9XD", "--json").output
        == "{\"event\":\"unblocked\",\"number\":\"7M2K-Q9XD\"}\n")
    #expect(desk.run("bob", "contacts").lines.count == 1)
    #expect(desk.run("bob", "unblock", ada).code == .done)
    #expect(desk.run("bob", "block", "1234-5678").code == .failed)
  }

  @Test("the card of somebody blocked can be imported, with a warning")
  func importBlocked() {
    desk.run("bob", "block", ada)
    let result = desk.run("bob", "import", "-", input: desk.run("ada", "card").output)
    #expect(result.code == .done)
    #expect(result.errors.contains("airlink-keytool: warning: \(ada) is blocked"))
  }

  @Test("verify wants a contact")
  func verifyStranger() {
    let result = desk.run("ada", "verify", bob)
    #expect(result.code == .failed)
    #expect(result.errors.contains("is not in your contacts"))
    #expect(desk.run("ada", "verify", bob, "--same").code == .failed)
  }

  @Test(
    "operands that are no numbers or fingerprints are wrong usage",
    arguments: [
      ["accept", "7M2K"], ["accept", "7M2K-Q9XD", "abc"], ["block", "UUUU-UUUU"], ["unblock"],
      ["verify", ""], ["verify", "7M2K-Q9XD", "8M2K-Q9XD"], [], ["frobnicate"],
      ["show", "--wrong"],
      ["show", "--json", "--qr"], ["show", "--key-file", "--keyring"],
    ])
  func usage(words: [String]) {
    let result = desk.run(words: ["--home", desk.home("ada")] + words)
    #expect(result.code == .usage)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("airlink-keytool: error: "))
  }

  @Test("hostile names do no harm where they are shown, and stand in JSON exactly")
  func hostileNames() throws {
    let name = "\u{1B}]0;x\u{7}\u{1B}[2J\u{202E}evil\n\u{9B}31m\u{200B}"
    let eve = desk.create("eve", name: name)
    let card = desk.run("eve", "card").output
    let runs = [
      desk.run("ada", "import", "-", input: card, isTerminal: true),
      desk.run("ada", "contacts", isTerminal: true), desk.run("eve", "show", isTerminal: true),
      desk.run("ada", "verify", eve, "--same", isTerminal: true),
    ]
    for run in runs {
      #expect(run.code == .done)
      for scalar in (run.output + run.errors).unicodeScalars where scalar != "\n" {
        #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
        #expect(!["\u{202E}", "\u{200B}", "\u{2028}"].contains(scalar))
      }
    }
    let json = desk.run("ada", "contacts", "--json")
    #expect(try json.object()["name"] as? String == name)
    #expect(
      json.output.unicodeScalars.allSatisfy { $0 == "\n" || (0x20..<0x7F).contains($0.value) })
  }

  @Test("a name like another's, or like a number, is warned of on import")
  func likeNames() {
    desk.run("ada", "import", "-", input: desk.run("bob", "card").output)
    desk.create("b0b", name: "B\u{43E}b")
    let alike = desk.run("ada", "import", "-", input: desk.run("b0b", "card").output)
    #expect(alike.errors.contains("looks like that of \(bob)"))
    desk.create("n", name: "7M2K-Q9XD")
    let number = desk.run("ada", "import", "-", input: desk.run("n", "card").output)
    #expect(number.errors.contains("looks like a number"))
  }

  @Test("damaged contacts are told, with what to do, and left as they are")
  func damagedContacts() throws {
    desk.run("ada", "block", bob)
    let file = URL(filePath: desk.home("ada") + "/contacts")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: file)
    #expect(chmod(file.path, 0o600) == 0)
    for words in [["contacts"], ["block", "7M2K-Q9XD"], ["verify", bob]] {
      let result = desk.run(words: ["--home", desk.home("ada")] + words)
      #expect(result.code == .failed)
      #expect(result.errors.contains("is damaged"))
      #expect(result.errors.contains("hint: put back a copy"))
    }
    #expect(try Data(contentsOf: file) == bytes)
  }
}
