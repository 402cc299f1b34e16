internal import Capture
public import CommandLine
internal import Unlock

extension PacketDump {
  static let file = Operand(
    .file(), .optional, help: "A capture; - or nothing reads standard input.")
  static let verbose = Flag("verbose", short: "v", help: "Show every field with its offset.")
  static let hex = Flag("hex", short: "x", help: "Show the bytes of each packet.")
  static let statistics = Flag(
    "stats", help: "Count by kind, link and call, in place of showing packets.")
  static let filter = Option(
    "filter", .filter, help: "Show what passes alone, such as 'kind == hello'.")
  static let count = Option(
    "count", short: "c", .integer("N", in: 1...Int.max), help: "Leave after N packets.")
  static let lineBuffered = Flag(
    "line-buffered", short: "l",
    help: "Write each line at once, as is done on a terminal anyway.")

  static let interface = Option(
    "interface", short: "i", .text("IFACE"),
    help: "Capture from a network interface instead, until you end it with ^C; any means all.")
  static let follow = Option(
    "follow", .followedID,
    help: "Show one message's way: every packet of the ID, or of its first digits.")
  static let identity = Option(
    "identity", .directory("DIR"),
    help: "Open what was sealed to the identity in DIR, and show what it says.")

  /// Everything the program takes.
  public static let command = Command(
    "airlink-packetdump",
    summary: "Shows the AirLink packets of a capture",
    discussion: "Reads what 'airlink-node --capture' writes, pcap and pcapng of networks and of "
      + "Bluetooth, btsnoop, and bare packets one behind the other. A line for each packet says "
      + "when and where it crossed, what it is and where it goes; what is no packet is said too.",
    parameters: [file, interface],
    sections: [
      Command.Section("Which packets", [filter, follow, count]),
      Command.Section(
        "What of them", [verbose, hex, statistics, Common.json, lineBuffered]),
      Command.Section("What was sealed", [identity] + SealingOptions.all),
    ],
    exclusive: [
      [verbose, Common.json], [verbose, statistics], [hex, statistics],
      [follow, statistics], [interface, file],
      [SealingOptions.passphraseFile, SealingOptions.keyring, SealingOptions.keyFile],
    ],
    examples: [
      Command.Example("airlink-packetdump node.pcapng", "shows every packet of a node's capture"),
      Command.Example(
        "airlink-packetdump --filter 'kind == sealed and to == 7M2K-Q9XD' node.pcapng",
        "shows messages to one person"),
      Command.Example(
        "airlink-packetdump --identity ~/.local/share/airlink -i wlan0",
        "shows what crosses the network now, and reads what is for you"),
      Command.Example("tail -c +1 -f node.pcapng | airlink-packetdump -l", "follows a node"),
    ])

  static let libraries = [Library("libpcap", CaptureLibraries.pcap)]
}
