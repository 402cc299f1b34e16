internal import Capture
public import CommandLine
internal import Glibc
internal import Unlock

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
    let interface = arguments[Self.interface]
    if path == nil, interface == nil, isatty(input) == 1 {
      throw Failure.usage(
        "which capture? Standard input is a terminal",
        hints: "name a file, or - to read from standard input, or -i IFACE to capture")
    }
    let settings = try settings()
    let name =
      (interface ?? path).map { $0 == "-" ? "standard input" : quoted($0) } ?? "standard input"
    let dump = Dump(settings, console.output)
    let packets = PacketReader(dump)
    dump.links = { [unowned packets] in packets.links }
    var trouble: CaptureError?
    do throws(CaptureError) {
      let capture = try open(path, interface)
      defer { tellLeftOut(capture) }
      while !dump.isDone, try capture.next({ info, bytes in packets.take(info, bytes) }) {
        dump.recordEnded()
      }
    } catch {
      trouble = error
    }
    if !dump.isDone { packets.finish() }
    try dump.finish()
    if let trouble {
      console.error(
        "\(name): \(DisplayText(trouble.sentence))",
        hints: trouble.hint.map { ["\(DisplayText($0))"] } ?? [])
      return .failed
    }
    return .done
  }

  private func open(
    _ path: String?, _ interface: String?
  ) throws(CaptureError) -> CaptureReader {
    if let interface { return try CaptureReader(interface: interface) }
    guard let path, path != "-" else { return try CaptureReader(descriptor: input) }
    return try CaptureReader(path: path)
  }

  private func tellLeftOut(_ capture: CaptureReader) {
    let count = capture.leftOut
    if count > 0 { console.warning("\(count) packets came too fast and are left out") }
  }

  private func settings() throws -> Dump.Settings {
    var settings = Dump.Settings()
    settings.isJSON = arguments[Common.json]
    settings.detail.fields = arguments[Self.verbose]
    settings.detail.bytes = arguments[Self.hex]
    settings.statistics = arguments[Self.statistics]
    settings.filter = arguments[Self.filter]
    settings.limit = arguments[Self.count, default: .max]
    settings.isLineBuffered =
      arguments[Self.lineBuffered] || console.output.isTerminal || arguments[Self.interface] != nil
    settings.follow = arguments[Self.follow]
    if let home = arguments[Self.identity] {
      settings.opener = try Opener.unlock(home, arguments, console)
    } else if SealingChoice(arguments) != nil {
      throw Failure.usage(
        "how an identity is sealed was said, but not which one it is", hints: "add --identity DIR")
    } else if let word = settings.filter?.openedWord {
      throw Failure.usage(
        "the filter asks for \(word), which is known of opened messages alone",
        hints: "add --identity DIR, to open what was sealed to it")
    }
    return settings
  }
}
