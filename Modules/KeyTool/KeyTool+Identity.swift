internal import CommandLine
internal import Identity
internal import Unlock
internal import Wire

/// The commands about one's own identity.
extension KeyTool {
  func create() throws {
    var name = arguments[Self.name]
    if let name { try Self.check(name) }
    let choice = SealingChoice(arguments)
    try requireTerminal(choice, prefix: "--")
    let path = try homePath()
    // Before anything is asked or made.
    try Failure.of { () throws(IdentityFileError) in try IdentityFile.refuseExisting(at: path) }
    if name == nil, choice == nil {
      let answer = try surroundings.questions.line("The name others see, empty for none: ")
      try Self.check(answer)
      name = answer
    }
    let key = try newKey(choice)
    let own = OpenedIdentity(identity: .generate(), name: name ?? "")
    let home: Home
    do throws(FileError) { home = try Home(path: path, ifMissing: .create) } catch {
      throw Failure(error)
    }
    try Failure.of { () throws(IdentityFileError) in
      try IdentityFile.create(in: home, own, with: key)
    }
    if wantsJSON {
      try console.print(describe(own))
    } else {
      try console.print(own.identity.fingerprint.number.description)
    }
  }

  func show() throws {
    if wantsJSON, arguments[Self.qr] { throw UsageError("--json and --qr do not go together") }
    let own = try open().own
    if wantsJSON { return try console.print(describe(own)) }
    let fingerprint = own.identity.fingerprint
    try console.print("number       \(fingerprint.number)")
    try console.print("fingerprint  \(fingerprint)")
    try console.print("name         \(DisplayText(name: own.name))")
    guard arguments[Self.qr] else { return }
    let code = try QRCode(own.identity.makeCard(name: own.name, time: surroundings.now()).text)
    try console.output.write("\n" + code.text(colors: console.colors))
  }

  func card() throws {
    let own = try open().own
    let card = own.identity.makeCard(name: own.name, time: surroundings.now())
    var text = card.text + "\n"
    if wantsJSON {
      var object = describe(own)
      object["event"] = "card"
      object["card"] = .string(card.text)
      text = object.line
    }
    if let path = arguments[Self.out], path != "-" {
      try NewFile.write(text, to: path)
    } else {
      try console.output.write(text)
    }
  }

  func number() throws {
    let text = try arguments.required(Self.numberText)
    let number: Number
    do throws(Number.ParseError) { number = try Number(parsing: text) } catch {
      throw Failure("\(quoted(text)) is no number: \(error.reason)")
    }
    if number.isReserved { throw Failure("\(number) is an example, and never anybody's number") }
    if wantsJSON {
      try console.print(["event": "number", "number": .string(number.description)])
    } else {
      try console.print(number.description)
    }
  }

  func passwd() throws {
    let choice = SealingChoice(
      passphraseFile: arguments[Self.newPassphraseFile], keyring: arguments[Self.newKeyring],
      keyFile: arguments[Self.newKeyFile])
    try requireTerminal(choice, prefix: "--new-")
    let home = try home()
    let old = try unlock(home).key
    let new = try newKey(choice)
    try Failure.of { () throws(IdentityFileError) in
      try IdentityFile.reseal(in: home, from: old, to: new)
    }
  }

  private static func check(_ name: String) throws(Failure) {
    let count = name.utf8.count
    guard count <= Hello.maximumNameLength else {
      throw .usage(
        "a name takes at most \(Hello.maximumNameLength) bytes of UTF-8, and this has \(count)")
    }
  }

  private func describe(_ own: OpenedIdentity) -> JSONObject {
    [
      "event": "identity", "number": .string(own.identity.fingerprint.number.description),
      "fingerprint": .string(own.identity.fingerprint.hex), "name": .string(own.name),
    ]
  }
}
