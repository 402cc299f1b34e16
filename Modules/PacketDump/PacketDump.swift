internal import Capture
public import CommandLine
internal import Glibc

/// airlink-packetdump: what is in a capture, packet by packet.
public struct PacketDump {
  let arguments: Arguments
  let console: Console
  let input: Int32

  /// Runs the program as this process.
  public static func main() -> ExitCode { run(.process(), input: STDIN_FILENO) }

  /// Runs it from its words to its exit code; `input` is the descriptor of standard input, which is
  /// closed after it was read.
  public static func run(_ invocation: Invocation, input: Int32) -> ExitCode {
    command.run(invocation, libraries: libraries) { arguments, console in
      try PacketDump(arguments: arguments, console: console, input: input).run()
    }
  }

  private func run() throws -> ExitCode {
    let path = arguments[Self.file]
    if path == nil, isatty(input) == 1 {
      throw Failure.usage(
        "which capture? Standard input is a terminal",
        hints: "name a file, or - to read from standard input")
    }
    let name = path.map { $0 == "-" ? "standard input" : quoted($0) } ?? "standard input"
    let dump = Dump(settings, console.output)
    let packets = PacketReader(dump)
    dump.links = { [unowned packets] in packets.links }
    var trouble: CaptureError?
    do throws(CaptureError) {
      let capture =
        if let path, path != "-" { try CaptureReader(path: path) } else {
          try CaptureReader(descriptor: input)
        }
      while !dump.isDone, try capture.next({ info, bytes in packets.take(info, bytes) }) {
        dump.recordEnded()
      }
    } catch {
      trouble = error
    }
    if !dump.isDone { packets.finish() }
    try dump.finish()
    if let trouble {
      console.error("\(name): \(DisplayText(trouble.sentence))")
      return .failed
    }
    return .done
  }

  private var settings: Dump.Settings {
    var settings = Dump.Settings()
    settings.isJSON = arguments[Common.json]
    settings.detail.fields = arguments[Self.verbose]
    settings.detail.bytes = arguments[Self.hex]
    settings.statistics = arguments[Self.statistics]
    settings.filter = arguments[Self.filter]
    settings.limit = arguments[Self.count, default: .max]
    settings.isLineBuffered = arguments[Self.lineBuffered] || console.output.isTerminal
    return settings
  }
}
