public import CommandLine
internal import Unlock

/// How other devices on the network are found.
public enum DiscoveryChoice: String, CaseIterable, Sendable {
  /// The system's avahi-daemon where it runs, the embedded stack elsewhere.
  case auto
  case daemon
  case embedded
  case off
}

/// Whether a radio is used.
public enum RadioChoice: String, CaseIterable, Sendable {
  case on
  case off
}

/// How much is told on standard error.
public enum LogLevel: String, CaseIterable, Sendable {
  case error
  case warning
  case info
}

/// What `airlink-node` takes.
public enum NodeOptions {
  public static let name = Option(
    "name", .text("NAME"), help: "The name others see, at most 64 bytes of UTF-8.")
  public static let listen = Option(
    "listen", .text("[ADDRESS:]PORT"),
    help: "Where to take connections; 0 lets the system choose the port (the default).")
  public static let peer = Option(
    "peer", .text("HOST:PORT"), .repeated,
    help: "A device to connect to without discovery; IPv6 addresses in brackets.")
  public static let discovery = Option(
    "discovery", .choice(DiscoveryChoice.self), help: "How devices on the network are found.")
  public static let wifi = Option(
    "wifi", .choice(RadioChoice.self), help: "Whether to link up over the network at all.")
  public static let logLevel = Option(
    "log-level", .choice(LogLevel.self), help: "How much is told on standard error.")

  public static let command = Command(
    "airlink-node",
    summary: "Chat with people nearby, with no internet, no server and no account",
    discussion: """
      Finds other devices on the local network, chats with the people on them and passes on what \
      others send. On first use it makes your identity. At a terminal it is a chat; with --json it \
      takes and gives one JSON object a line.
      """,
    sections: [
      Command.Section("Who you are", [name, Common.home] + SealingOptions.all),
      Command.Section("Links", [listen, peer, discovery, wifi]),
      Command.Section("Output", [Common.json, logLevel, Common.color]),
    ],
    exclusive: [SealingOptions.all],
    examples: [
      Command.Example("airlink-node", "Chat with whoever is near."),
      Command.Example(
        "airlink-node --discovery off --peer 192.168.7.2:4000", "Connect to one device alone."),
      Command.Example(
        "airlink-node --json --key-file --name bot", "Run under a program, on pipes."),
    ])
}
