internal import CommandLine
internal import Glibc

/// One `airlink-node --json` of the release that this bench belongs to, as a program runs it.
///
/// It has a home of its own below the system's place for temporary files, which goes with it.
final class NodeProcess {
  /// How long an event may take before the case is given up.
  static let patience: Duration = .seconds(30)

  let label: String
  private(set) var number = ""
  private(set) var port = 0
  let output: LineStream
  private let process: pid_t
  private let input: Int32
  private let home: String

  /// Starts a node and waits until it is ready.
  init(_ label: String, _ words: String...) throws {
    self.label = label
    home = try Self.makeHome()
    let program = try Self.program()
    let (standardInput, input) = try Self.pipe()
    let (output, standardOutput) = try Self.pipe()
    self.input = input
    self.output = LineStream(output)
    let arguments = [program, "--json", "--home", home, "--key-file", "--name", label] + words
    do {
      // Closed before anything is awaited: with the node's ends open here, its end would not show.
      defer {
        close(standardInput)
        close(standardOutput)
      }
      process = try Self.start(arguments, standardInput, standardOutput)
    }
    let ready = try wait("be ready") { $0["event"] == "ready" }
    guard case .string(let number) = ready["number"], case .integer(let port) = ready["port"] else {
      throw Failure("airlink-node does not say its number and its port")
    }
    self.number = number
    self.port = Int(port)
  }

  deinit {
    close(input)
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    for name in Self.names(in: home) { unlink(home + "/" + name) }
    rmdir(home)
  }

  /// Writes lines to its standard input.
  func write(_ lines: [UInt8]) throws {
    var rest = lines[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure("airlink-node has gone: \(Self.reason())") }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads events until there is the one that is wanted.
  @discardableResult
  func wait(_ what: String, for isWanted: (JSONObject) -> Bool) throws -> JSONObject {
    let end = ContinuousClock.now + Self.patience
    while ContinuousClock.now < end {
      while let line = output.next() {
        guard case .object(let event) = try JSONReader.parse(line) else { continue }
        if isWanted(event) { return event }
      }
      try output.fill(within: .milliseconds(100))
    }
    throw Failure("\(label) did not \(what) within \(Self.patience)")
  }

  /// Processor time used so far, in nanoseconds.
  func processorTime() throws -> UInt64 {
    var clock: clockid_t = 0
    guard clock_getcpuclockid(process, &clock) == 0 else {
      throw Failure("the processor time of airlink-node cannot be read")
    }
    return clockNanoseconds(clock)
  }

  /// Memory held, in MiB: what `/proc/PID/status` says under VmRSS.
  func residentMebibytes() throws -> Double {
    let status = try String(decoding: Self.contents(of: "/proc/\(process)/status"), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let kibibytes = line?.split(separator: " ").dropLast().last.flatMap({ Double($0) }) else {
      throw Failure("the memory of airlink-node cannot be read")
    }
    return kibibytes / 1_024
  }
}
