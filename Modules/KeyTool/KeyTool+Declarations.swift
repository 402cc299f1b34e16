public import CommandLine
internal import Identity
internal import Unlock
internal import Wire

extension KeyTool {
  static let name = Option("name", .text("NAME"), help: "What others see; at most 64 bytes.")
  static let qr = Flag(
    "qr", help: "Show the contact card as a QR code, for somebody to scan.")
  static let numberText = Operand(
    .text("NUMBER"), help: "A number; case, spaces and hyphens do not matter.")
  static let someNumber = Operand(.number, help: "Whose number.")
  static let fingerprint = Operand(
    .fingerprint, .optional,
    help: "Which keys, where several cards carry the number: 16 hexadecimal digits.")
  static let out = Option(
    "out", .file(), help: "Write the card to a new file; - is standard output.")
  static let card = Operand(.file("FILE"), help: "A card; - reads standard input.")
  static let same = Flag(
    "same", help: "You have compared the safety number and it is the same: mark the person.")
  static let newPassphraseFile = Option(
    "new-passphrase-file", .file(), help: "Read the new passphrase from a file or pipe.")
  static let newKeyring = Flag("new-keyring", help: "Keep the key in the desktop's keyring.")
  static let newKeyFile = Flag(
    "new-key-file", help: "Keep the key in identity.key beside the identity.")

  /// Everything the tool takes.
  public static let command = Command(
    "airlink-keytool",
    summary: "Makes and keeps your AirLink identity and your contacts",
    discussion: "An identity is two key pairs in a sealed file. Its number is what people give "
      + "each other; the safety number is what proves a person.\n\n"
      + "The passphrase is asked for on the terminal unless an option says how the identity is "
      + "sealed.",
    parameters: [Common.home, Common.json, Common.color],
    sections: [Command.Section("How the identity is sealed", SealingOptions.all)],
    exclusive: [SealingOptions.all],
    subcommands: identityCommands + contactCommands,
    examples: [
      Command.Example("airlink-keytool create --name Ada", "makes an identity"),
      Command.Example("airlink-keytool show --qr", "shows number, fingerprint, and a QR code"),
      Command.Example(
        "airlink-keytool card | ssh bob airlink-keytool import -", "gives your card to another"),
      Command.Example(
        "airlink-keytool verify 7M2K-Q9XD", "shows the safety number to compare with them"),
    ])

  private static let identityCommands = [
    Command(
      "create", summary: "Makes an identity, where there is none",
      discussion: "Prints its number. An identity that is there is never overwritten.",
      parameters: [name]),
    Command("show", summary: "Shows number, fingerprint and name", parameters: [qr]),
    Command(
      "passwd", summary: "Seals the same keys in another way",
      discussion: "The new file is opened again and compared before it takes the old one's place. "
        + "The new passphrase is asked for on the terminal unless an option says otherwise.",
      parameters: [newPassphraseFile, newKeyring, newKeyFile],
      exclusive: [[newPassphraseFile, newKeyring, newKeyFile]]),
    Command("card", summary: "Prints your contact card, to give away", parameters: [out]),
    Command(
      "number", summary: "Checks a number and prints it as it is written",
      parameters: [numberText]),
  ]

  private static let contactCommands = [
    Command("import", summary: "Adds the person of a contact card", parameters: [card]),
    Command("contacts", summary: "Lists contacts and blocked numbers"),
    Command(
      "accept", summary: "Takes other keys for a contact's number",
      discussion: "They come from a card that was imported and did not match. Make sure with the "
        + "person that they have new keys: whoever can make a card of their number could be "
        + "somebody else.",
      parameters: [someNumber, fingerprint]),
    Command(
      "verify", summary: "Shows the safety number of you and a contact",
      discussion: "Compare it with the person, face to face or over a line you trust. Only that "
        + "proves who they are.",
      parameters: [someNumber, same]),
    Command(
      "block", summary: "Shows and answers nothing of a number", parameters: [someNumber]),
    Command("unblock", summary: "Takes a block back", parameters: [someNumber]),
  ]
}

extension ValueType where Value == Number {
  /// A person's number, in any case, with spaces and hyphens or without.
  static var number: Self {
    ValueType("NUMBER") { (text: String) throws(Refusal) -> Number in
      do throws(Number.ParseError) {
        return try Number(parsing: text)
      } catch {
        throw Refusal("\(quoted(text)) is no number: \(error.reason)")
      }
    }
  }
}

extension ValueType where Value == Fingerprint {
  static var fingerprint: Self {
    ValueType("FINGERPRINT") { (text: String) throws(Refusal) -> Fingerprint in
      guard let fingerprint = Fingerprint(hex: text) else {
        throw Refusal("\(quoted(text)) is no fingerprint: it has 16 hexadecimal digits")
      }
      return fingerprint
    }
  }
}

extension Number.ParseError {
  var reason: String {
    switch self {
    case .wrongLength(let count): "it has 8 characters, and this has \(count)"
    case .badCharacter(let scalar):
      "\(quoted(String(scalar))) is in none (digits and letters without U)"
    }
  }
}
