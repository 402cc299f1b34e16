internal import BLELink
internal import CommandLine
internal import Discovery
internal import EventLoop
internal import Glibc
internal import Identity
internal import Link
internal import Node
internal import Terminal
internal import WiFiLink
internal import Wire

/// `airlink-node`: composes identity, disk, links and front end, and runs them on the main thread.
@main
enum NodeProgram {
  /// What runs, for as long as the process lives.
  @MainActor private static var running: Run?

  static func main() {
    switch NodeOptions.command.start(.process(), libraries: LibraryVersions.all) {
    case .finished(let code): exit(code.rawValue)
    case .run(let arguments, let console):
      MainActor.assumeIsolated {
        EventLoop.main.run {
          do {
            guard EventLoop.main.isAvailable else {
              throw Failure("no file descriptor is left to run with; see `ulimit -n`")
            }
            let run = Run(arguments, console)
            running = run
            try run.start()
          } catch {
            exit(console.report(error).rawValue)
          }
        }
      }
    }
  }
}

/// One run of the program.
@MainActor
private final class Run {
  private let arguments: Arguments
  private let console: Console
  private var nodeLock: NodeLock?
  private var node: Node?
  private var wifi: WiFiLink?
  private var isLeaving = false

  init(_ arguments: Arguments, _ console: Console) {
    self.arguments = arguments
    self.console = console
  }

  func start() throws {
    let isJSON = arguments[Common.json]
    let environment = ProcessEnvironment.all()
    let path = try HomeDirectory.resolve(
      option: arguments[Common.home], environment: environment)
    let isInteractive = !isJSON && isatty(STDIN_FILENO) == 1 && TerminalPrompt.isAvailable
    let obtained = try NodeIdentity.obtain(
      at: path, name: arguments[NodeOptions.name], arguments, isInteractive: isInteractive, console)
    nodeLock = obtained.lock
    var parts = try Self.parts(obtained.outcome, obtained.home)
    parts.logLevel = arguments[NodeOptions.logLevel, default: .warning]
    if let path = arguments[NodeOptions.capture] {
      parts.tap = try PacketCapture(path: path, console)
    }
    parts.sound = try NodeSound.make(arguments, environment: environment)
    // A program that drives the node shows its user what rings, in its own way.
    if !isJSON { parts.ringer = NodeRinger() }
    parts.answersCalls = arguments[NodeOptions.autoAnswer]
    parts.isEchoService = arguments[NodeOptions.echoService]
    parts.directRoad = NodeRoad { [weak self] in self?.wifi?.discovery }
    let front = FrontEnds.standard(
      json: isJSON, colors: console.colors, environment: environment)
    let node = Node(parts, front: front) { [console] end in Self.leave(end, console) }
    self.node = node
    handleSignals()
    try startLinks(of: node, environment)
  }

  private static func parts(_ outcome: NodeIdentity.Outcome, _ home: Home) throws -> Node.Parts {
    switch outcome {
    case .temporary(let opened, let because):
      var parts = Node.Parts(identity: opened.identity, name: opened.name)
      parts.temporaryBecause = because
      return parts
    case .opened(let opened):
      var parts = Node.Parts(identity: opened.identity, name: opened.name)
      do throws(ContactStore.Failure) {
        let (storage, contacts, received) = try NodeStorage.open(home, opened.identity)
        parts.storage = storage
        parts.contacts = contacts
        parts.received = received
      } catch {
        throw error.hint.map { Failure("\(error)", hints: $0) } ?? Failure("\(error)")
      }
      return parts
    }
  }

  private func startLinks(of node: Node, _ environment: [String: String]) throws {
    var lastLink: UInt32 = 0
    let nextLinkID: @MainActor () -> LinkID = {
      lastLink += 1
      return LinkID(lastLink)
    }
    var transports: [any LinkTransport] = []
    if arguments[NodeOptions.wifi, default: .on] == .on {
      let wifi = makeWiFi(nextLinkID)
      wifi.observer = node
      self.wifi = wifi
      transports.append(wifi)
    }
    let bluetooth = try NodeBluetooth.link(
      arguments, environment: environment, nextLinkID: nextLinkID
    ) { [weak node] in node?.transportRemark($0) }
    if let bluetooth {
      bluetooth.observer = node
      transports.append(bluetooth)
    }
    do {
      try node.start(transports) { wifi?.port ?? 0 }
    } catch let error as WiFiLinkError {
      throw Failure("\(error)")
    }
  }

  private func makeWiFi(_ nextLinkID: @escaping @MainActor () -> LinkID) -> WiFiLink {
    var configuration = WiFiConfiguration(
      instance: InstanceID(value: SystemRandom.word()), seed: SystemRandom.word(),
      nextLinkID: nextLinkID)
    configuration.listen = arguments[NodeOptions.listen, default: .any]
    configuration.peers = arguments.all(NodeOptions.peer)
    configuration.discovery = arguments[NodeOptions.discovery, default: .auto]
    return WiFiLink(configuration)
  }

  /// A signal that asks the program to end does so in order; a second one at once.
  private func handleSignals() {
    for number in [SIGTERM, SIGINT, SIGHUP] {
      SignalInlet.shared.on(number) { [weak self] in
        guard let self else { return }
        if self.isLeaving { exit(ExitCode.failed.rawValue) }
        self.isLeaving = true
        self.node?.stop(number == SIGHUP ? .gone : .endOfInput)
      }
    }
  }

  private static func leave(_ end: FrontEndEnd, _ console: Console) {
    switch end {
    case .endOfInput, .gone: exit(ExitCode.done.rawValue)
    case .failed(let reason):
      console.error(reason)
      exit(ExitCode.failed.rawValue)
    }
  }
}
