public import CommandLine

/// airlink-callaudio: the sound of calls from the command line.
public struct CallAudio: Sendable {
  let arguments: Arguments
  let console: Console

  /// Runs the program as this process.
  public static func main() -> ExitCode { run(.process()) }

  /// Runs it from its words to its exit code.
  public static func run(_ invocation: Invocation) -> ExitCode {
    command.run(invocation, libraries: libraries) { arguments, console in
      try CallAudio(arguments: arguments, console: console).run()
      return .done
    }
  }

  private func run() throws {
    switch arguments.path.first {
    case "call": try MainActor.assumeIsolated { try call() }
    case "cancel": try cancel()
    case "decode": try decode()
    case "devices": try devices()
    case "encode": try encode()
    case "loopback": try MainActor.assumeIsolated { try loopback() }
    case "simulate": try simulate()
    default: throw UsageError("which command? 'airlink-callaudio --help' lists them")
    }
  }
}
