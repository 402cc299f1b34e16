import CommandLine
import Foundation
import Identity
import Testing
import Wire

@testable import KeyTool

@Suite("keytool: own identity") struct IdentityCommandTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  @Test("create prints the number, and show the same with fingerprint and name")
  func createAndShow() throws {
    let made = desk.run("ada", "create", "--key-file", "--name", "Ada Lovelace")
    #expect(made.code == .done)
    #expect(made.errors.isEmpty)
    let number = try #require(made.lines.first)
    #expect(made.lines.count == 1)
    #expect(try Number(parsing: number).description == number)
    let shown = desk.run("ada", "show")
    #expect(shown.lines.count == 3)
    #expect(shown.lines[0] == "number       \(number)")
    #expect(shown.lines[1].hasPrefix("fingerprint  "))
    #expect(shown.lines[2] == "name         Ada Lovelace")
    let object = try desk.run("ada", "show", "--json").object()
    #expect(object["event"] as? String == "identity")
    #expect(object["number"] as? String == number)
    #expect(object["name"] as? String == "Ada Lovelace")
    let fingerprint = try #require(object["fingerprint"] as? String)
    #expect(shown.lines[1] == "fingerprint  \(fingerprint)")
    #expect(Fingerprint(hex: fingerprint)?.number.description == number)
  }

  @Test("create prints an object with --json")
  func createJSON() throws {
    let object = try desk.run("ada", "--json", "create", "--key-file", "--name", "A").object()
    #expect(Set(object.keys) == ["event", "number", "fingerprint", "name"])
  }

  @Test("create refuses where an identity is, whatever the sealing, and changes nothing")
  func createTwice() throws {
    desk.create("ada")
    let before = try desk.identity()
    let passphrase = try desk.write("secret", "passphrase")
    for words in [["--key-file"], ["--keyring"], ["--passphrase-file", passphrase], []] {
      let again = desk.run(
        words: ["--home", desk.home("ada"), "create"] + words, typed: ["Eve", "new"])
      #expect(again.code == .failed)
      #expect(again.output.isEmpty)
      #expect(
        again.errors.hasPrefix(
          "airlink-keytool: error: there is an identity at \(desk.home("ada"))/identity already"))
    }
    #expect(try desk.identity() == before)
    #expect(desk.names() == ["identity", "identity.key"])
  }

  @Test("a passphrase is asked for where nothing says how to seal, and the name with it")
  func typed() {
    #expect(desk.run("ada", "create", typed: ["Ada", "correct horse"]).code == .done)
    #expect(desk.names() == ["identity"])
    let shown = desk.run("ada", "show", typed: ["correct horse"])
    #expect(shown.lines.last == "name         Ada")
    #expect(desk.run("bob", "create", "--name", "Bob", typed: ["battery"]).code == .done)
  }

  @Test("a passphrase typed wrong may be typed again, twice")
  func typedWrong() {
    desk.run("ada", "create", "--name", "Ada", typed: ["right"])
    let twice = desk.run("ada", "show", typed: ["wrong", "wrong", "right"])
    #expect(twice.code == .done)
    #expect(
      twice.errors
        == String(repeating: "airlink-keytool: wrong passphrase; try again\n", count: 2))
    let thrice = desk.run("ada", "show", typed: ["wrong", "wrong", "wrong", "right"])
    #expect(thrice.code == .failed)
    #expect(thrice.errors.hasSuffix("airlink-keytool: error: wrong passphrase\n"))
  }

  @Test("with nobody to ask, it is wrong usage, with the options named, and nothing is made")
  func nobodyThere() {
    let made = desk.run("ada", "create", "--name", "Ada")
    #expect(made.code == .usage)
    for option in ["--passphrase-file", "--keyring", "--key-file"] {
      #expect(made.errors.contains(option))
    }
    #expect(!FileManager.default.fileExists(atPath: desk.home("ada")))
    desk.run("ada", "create", typed: ["Ada", "secret"])
    let shown = desk.run("ada", "show")
    #expect(shown.code == .usage)
    #expect(shown.errors.contains("--passphrase-file"))
  }

  @Test("a passphrase file's one trailing newline is not part of it")
  func passphraseFile() throws {
    let plain = try desk.write("secret", "plain")
    let newline = try desk.write("secret\n", "newline")
    let two = try desk.write("secret\n\n", "two")
    #expect(desk.run("ada", "create", "--passphrase-file", plain).code == .done)
    #expect(desk.run("ada", "show", "--passphrase-file", newline).code == .done)
    let wrong = desk.run("ada", "show", "--passphrase-file", two)
    #expect(wrong.code == .failed)
    #expect(wrong.errors == "airlink-keytool: error: wrong passphrase\n")
    #expect(desk.run("ada", "show", typed: ["secret"]).code == .done)
  }

  @Test("a passphrase file that others may read is warned of; one that is empty is refused")
  func badPassphraseFile() throws {
    let open = try desk.write("secret\n", "open", mode: 0o644)
    let made = desk.run("ada", "create", "--passphrase-file", open)
    #expect(made.code == .done)
    #expect(made.errors.contains("airlink-keytool: warning: "))
    for content in ["", "\n"] {
      let empty = try desk.write(content, "empty")
      let refused = desk.run("bob", "create", "--passphrase-file", empty)
      #expect(refused.code == .failed)
      #expect(refused.errors.contains("is empty"))
    }
    #expect(desk.run("bob", "create", typed: ["Bob", ""]).code == .failed)
    #expect(desk.run("bob", "create", "--passphrase-file", desk.path + "/none").code == .failed)
    #expect(desk.names("bob") == [])
  }

  @Test("the keyring is refused with the other ways named, before anything is made")
  func keyring() {
    let made = desk.run("ada", "create", "--keyring")
    #expect(made.code == .failed)
    #expect(made.errors.contains("the desktop's keyring gives no key: there is none"))
    #expect(made.errors.contains("hint: "))
    #expect(!FileManager.default.fileExists(atPath: desk.home("ada")))
  }

  @Test("a name over 64 bytes is wrong usage, before anything is made")
  func longName() {
    let long = String(repeating: "é", count: 33)
    #expect(desk.run("ada", "create", "--key-file", "--name", long).code == .usage)
    #expect(desk.run("ada", "create", typed: [long, "secret"]).code == .usage)
    #expect(!FileManager.default.fileExists(atPath: desk.home("ada")))
    #expect(
      desk.run("ada", "create", "--key-file", "--name", String(long.dropLast())).code == .done)
  }

  @Test("without an identity every command says how to make one", arguments: ["", "/home"])
  func noIdentity(below: String) throws {
    for words in [
      ["show"], ["card"], ["contacts"], ["import", "-"], ["accept", "7M2K-Q9XD"],
      ["block", "7M2K-Q9XD"], ["verify", "7M2K-Q9XD"], ["passwd", "--new-key-file"],
    ] {
      let result = desk.run(
        words: ["--home", desk.path + below] + words, input: try Twins().cards[0])
      #expect(result.code == .failed)
      #expect(result.errors.contains("there is no identity at \(desk.path)\(below)"))
      #expect(result.errors.contains("hint: make one: airlink-keytool create\n"))
    }
  }

  @Test("asking for another sealing than the identity's says which it has")
  func otherSealing() throws {
    desk.create("ada")
    let passphrase = try desk.write("secret", "passphrase")
    let result = desk.run("ada", "show", "--passphrase-file", passphrase)
    #expect(result.code == .usage)
    #expect(result.errors.contains("is sealed with a key file"))
    #expect(desk.run("ada", "show", "--key-file").code == .done)
  }

  @Test("passwd seals the same keys under another passphrase, or another way, and back")
  func passwd() throws {
    let number = desk.run("ada", "create", "--name", "Ada", typed: ["one"]).lines.first ?? ""
    #expect(desk.run("ada", "passwd", typed: ["one", "two"]).code == .done)
    #expect(desk.run("ada", "show", typed: ["one", "one", "one"]).code == .failed)
    #expect(desk.run("ada", "show", typed: ["two"]).lines[0].hasSuffix(number))
    #expect(desk.run("ada", "passwd", "--new-key-file", typed: ["two"]).code == .done)
    #expect(desk.names() == ["identity", "identity.key"])
    #expect(desk.run("ada", "show").lines[0].hasSuffix(number))
    let three = try desk.write("three\n", "three")
    #expect(desk.run("ada", "passwd", "--new-passphrase-file", three).code == .done)
    #expect(desk.names() == ["identity"])
    let shown = desk.run("ada", "show", "--passphrase-file", three)
    #expect(shown.lines[0].hasSuffix(number))
    #expect(shown.lines[2] == "name         Ada")
  }

  @Test("passwd that is refused changes nothing")
  func passwdRefused() throws {
    desk.create("ada")
    let before = try desk.identity()
    let nobody = desk.run("ada", "passwd")
    #expect(nobody.code == .usage)
    #expect(nobody.errors.contains("--new-passphrase-file"))
    #expect(desk.run("ada", "passwd", "--new-key-file").code == .failed)
    #expect(desk.run("ada", "passwd", "--new-keyring").code == .failed)
    #expect(desk.run("ada", "passwd", typed: [""]).code == .failed)
    #expect(try desk.identity() == before)
  }

  @Test(
    "a number is checked and printed as it is written",
    arguments: [
      ("7m2kq9xd", "7M2K-Q9XD"), ("7M2K-Q9XD", "7M2K-Q9XD"), (" 7 m2k - q9xd ", "7M2K-Q9XD"),
      ("oiL0-1111", "0110-1111"),
    ])
  func number(text: String, canonical: String) throws {
    #expect(desk.run("ada", "number", text).output == canonical + "\n")
    let object = try desk.run("ada", "number", text, "--json").object()
    #expect(object["number"] as? String == canonical)
    #expect(desk.names() == [])
  }

  @Test(
    "what is no number, or an example, is refused",
    arguments: ["7M2K-Q9X", "7M2K-Q9XDE", "7M2K-Q9XU", "7M2K_Q9XD", "1234-5678", "0000 0000", "é"])
  func noNumber(text: String) {
    let result = desk.run("ada", "number", text)
    #expect(result.code == .failed)
    #expect(result.output.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test("--home comes before AIRLINK_HOME, and that before XDG_DATA_HOME")
  func homes() {
    let environment = [
      "AIRLINK_HOME": desk.home("a"), "XDG_DATA_HOME": desk.path, "HOME": "/nowhere",
    ]
    let create = ["create", "--key-file"]
    let option = desk.run(words: ["--home", desk.home("o")] + create, environment: environment)
    #expect(option.code == .done && desk.names("o").contains("identity"))
    _ = desk.run(words: create, environment: environment)
    #expect(desk.names("a").contains("identity"))
    _ = desk.run(words: create, environment: ["XDG_DATA_HOME": desk.path])
    #expect(desk.names("airlink").contains("identity"))
    _ = desk.run(words: create, environment: ["HOME": desk.home("h")])
    #expect(desk.names("h/.local/share/airlink").contains("identity"))
    #expect(desk.run(words: create).code == .failed)
  }
}

extension Desk {
  fileprivate func identity() throws -> Data {
    try Data(contentsOf: URL(filePath: home("ada") + "/identity"))
  }
}
