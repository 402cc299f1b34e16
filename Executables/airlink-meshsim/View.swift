internal import CommandLine
internal import Glibc
internal import MeshSim
internal import PacketLog
internal import Wire

/// What is looked at while a world runs: the last packets, a capture, one flood.
@MainActor final class View {
  /// Arrivals of one flood that are drawn at the most.
  private static let maximumFlood = 200_000

  private let console: Console
  private let traceLength: Int
  private var trace: [Arrival] = []
  private let log: PacketLog?
  private let directory: String?
  private var flood: [Arrival] = []

  init(_ arguments: Arguments, _ console: Console) throws {
    self.console = console
    traceLength = arguments[Run.trace, default: 0]
    directory = arguments[Run.svg]
    guard let path = arguments[Run.capture] else {
      log = nil
      return
    }
    do {
      log = try PacketLog(path: path, application: "airlink-meshsim")
    } catch {
      throw Failure("\(quoted(path)): \(error.reason)")
    }
  }

  var watches: Bool { traceLength > 0 || log != nil || directory != nil }

  func note(_ arrival: Arrival) {
    if traceLength > 0 {
      trace.append(arrival)
      // By halves, so that keeping the last ones costs little.
      if trace.count >= 2 * traceLength { trace.removeFirst(traceLength) }
    }
    let header = arrival.packet.header
    if let log {
      log.note(
        arrival.packet.view.bytes, isInbound: true,
        link: "\(arrival.radio) \(arrival.from)-\(arrival.to)",
        nanoseconds: header.time.milliseconds > 0
          ? arrival.wallClock.milliseconds.multipliedReportingOverflow(by: 1_000_000).partialValue
          : 0)
    }
    if directory != nil, header.kind == .sealed, flood.count < Self.maximumFlood,
      flood.first.map({ $0.packet.header.id == header.id }) ?? true
    {
      flood.append(arrival)
    }
  }

  /// Prints and draws what was looked at.
  func finish(_ outcome: Outcome) throws {
    for arrival in trace.suffix(traceLength) {
      let header = arrival.packet.header
      let kind = header.kind == .hello ? "hello" : header.kind == .sealed ? "sealed" : "voice"
      try console.print(
        "\(arrival.time - .zero) \(arrival.radio) \(arrival.from)->\(arrival.to) \(kind) "
          + "hops \(header.hopLimit) id \(header.id) to \(header.destination)"
          + (arrival.isNew ? " new" : ""))
    }
    guard let directory else { return }
    let name = "\(outcome.summary.name)-\(outcome.summary.seed)"
    try write(Pictures.flood(outcome, flood), to: "\(directory)/\(name)-flood.svg")
    try write(Pictures.delivery(outcome), to: "\(directory)/\(name)-delivery.svg")
  }

  private func write(_ text: String, to path: String) throws {
    try Pictures.write(text, to: path)
    console.note("drew \(path)")
  }
}
