import CommandLine

/// A tool that uses every kind of declaration.
enum SampleTool {
  enum Discovery: String, CaseIterable, Sendable { case auto, daemon, embedded, off }

  static let name = Option("name", .text("NAME"), help: "What others see.")
  static let passphraseFile = Option(
    "passphrase-file", .file(), help: "Where the passphrase is; it isn't [shown]: never.")
  static let keyring = Flag("keyring", help: "Ask the desktop's keyring.")
  static let discovery = Option(
    "discovery", .choice(Discovery.self), help: "How others are found.")
  static let peer = Option(
    "peer", short: "p", .text("HOST:PORT"), .repeated, help: "Dial without discovery.")
  static let listen = Option("listen", short: "l", .port, help: "Where to listen.")
  static let gain = Option("gain", .number("DB", in: -60...60), help: "Louder or quieter.")
  static let verbose = Flag("verbose", short: "v", repeats: true, help: "Say more.")
  static let quiet = Flag("quiet", short: "q", help: "Say less.")

  /// Without subcommands, as airlink-node.
  static let plain = Command(
    "airlink-sample", summary: "Shows what a plain program declares",
    parameters: [name, listen, peer, discovery, gain, verbose, quiet, Common.json],
    sections: [.init("Identity", [Common.home, passphraseFile, keyring])],
    exclusive: [[passphraseFile, keyring]],
    examples: [.init("airlink-sample --listen 4000", "listens on port 4000")])

  static let number = Operand(.text("NUMBER"), help: "Whose number.")
  static let fingerprint = Operand(
    .text("FINGERPRINT"), .optional, help: "Which of several keys.")
  static let file = Operand(.file(), help: "A card; - reads standard input.")
  static let files = Operand(.file("FILE"), .atLeastOnce, help: "What to read.")
  static let target = Operand(.directory("TARGET"), help: "Where to put it.")
  static let far = Option("far", .file("F.wav"), .required, help: "The far end.")

  /// With subcommands, as airlink-keytool.
  static let commands = Command(
    "airlink-samples", summary: "Shows what a program with commands declares",
    parameters: [Common.home], sections: [.init("Identity", [passphraseFile, keyring])],
    exclusive: [[passphraseFile, keyring]],
    subcommands: [
      Command("create", summary: "Makes an identity", parameters: [name]),
      Command("show", summary: "Shows it", parameters: [Common.json]),
      Command("accept", summary: "Accepts keys", parameters: [number, fingerprint]),
      Command("import", summary: "Reads a card", parameters: [file]),
      Command("copy", summary: "Copies files", parameters: [files, target]),
      Command("cancel", summary: "Removes echo", parameters: [far]),
    ])
}
