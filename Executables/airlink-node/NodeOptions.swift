internal import CommandLine
internal import Discovery
internal import Node
internal import Unlock
internal import WiFiLink

/// Whether to link up over the network.
enum WiFiChoice: String, CaseIterable, Sendable {
  case on
  case off
}

/// Who takes the echo out of calls, as airlink-callaudio names them.
enum EchoChoice: String, CaseIterable, Sendable {
  case auto, system, nlms, speex, off
}

/// What `airlink-node` takes.
enum NodeOptions {
  static let name = Option(
    "name", .text("NAME"), help: "The name others see, at most 64 bytes of UTF-8.")
  static let listen = Option(
    "listen", listenAddress,
    help: "Where to take connections; 0 lets the system choose the port (the default).")
  static let peer = Option(
    "peer", hostAndPort, .repeated,
    help: "A device to connect to without discovery; IPv6 addresses in brackets.")
  static let discovery = Option(
    "discovery", .choice(DiscoveryMode.self), help: "How devices on the network are found.")
  static let wifi = Option(
    "wifi", .choice(WiFiChoice.self), help: "Whether to link up over the network at all.")
  static let bluetooth = Option(
    "ble", .choice(BluetoothChoice.self),
    help: "Bluetooth LE: through bluetoothd (auto says nothing where there is none), or raw HCI.")
  static let bluetoothAdapter = Option(
    "ble-adapter", .text("ADAPTER"),
    help: "The one Bluetooth adapter to use, such as hci0; otherwise all are.")
  static let audio = Option(
    "audio", .text("DEVICE"),
    help: "The sound device of calls: auto, off, or a name that airlink-callaudio devices lists.")
  static let audioIn = Option(
    "audio-in", .file(), help: "A WAV file that is heard in calls in place of the microphone.")
  static let audioOut = Option(
    "audio-out", .file(),
    help: "A WAV file that takes what the other side says in place of the loudspeaker.")
  static let echo = Option(
    "echo", .choice(EchoChoice.self), help: "Who takes the echo out of calls.")
  static let autoAnswer = Flag(
    "auto-answer", help: "Answer whoever calls, at once.")
  static let echoService = Flag(
    "echo-service",
    help: "Answer calls with the caller's own voice and texts with their copy, for others to test "
      + "with.")
  static let capture = Option(
    "capture", .file(),
    help: "Write every packet that crosses a link to a pcapng file, for airlink-packetdump.")
  static let logLevel = Option(
    "log-level", .choice(LogLevel.self), help: "How much is told on standard error.")

  static let command = Command(
    "airlink-node",
    summary: "Chat with people nearby, with no internet, no server and no account",
    discussion: """
      Finds other devices on the local network and by Bluetooth, chats with the people on them and passes on what \
      others send. On first use it makes your identity. At a terminal it is a chat; with --json it \
      takes and gives one JSON object a line.
      """,
    sections: [
      Command.Section("Who you are", [name, Common.home] + SealingOptions.all),
      Command.Section("Links", [listen, peer, discovery, wifi, bluetooth, bluetoothAdapter]),
      Command.Section("Calls", [audio, audioIn, audioOut, echo, autoAnswer, echoService]),
      Command.Section("Output", [Common.json, capture, logLevel, Common.color]),
    ],
    exclusive: [SealingOptions.all],
    examples: [
      Command.Example("airlink-node", "Chat with whoever is near."),
      Command.Example(
        "airlink-node --discovery off --peer 192.168.7.2:4000", "Connect to one device alone."),
      Command.Example(
        "airlink-node --json --key-file --name bot", "Run under a program, on pipes."),
    ])

  private static let listenAddress = ValueType("[ADDRESS:]PORT") {
    (text: String) throws(Refusal) -> ListenAddress in
    do throws(HostAndPortError) {
      return try ListenAddress(parsing: text)
    } catch {
      throw Refusal("\(error)")
    }
  }

  private static let hostAndPort = ValueType("HOST:PORT") {
    (text: String) throws(Refusal) -> HostAndPort in
    do throws(HostAndPortError) {
      return try HostAndPort(parsing: text)
    } catch {
      throw Refusal("\(error)")
    }
  }
}
