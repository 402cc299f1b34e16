import CTerminal
import Glibc
import Testing

/// What a process leaves behind at a terminal that it had in raw mode.
@Suite("Terminal given back", .serialized)
@MainActor
struct RestoreTests {
  /// Takes hold of the terminal as the node does, in a process of its own.
  nonisolated static func seize(_ path: String) {
    let terminal = open(path, O_RDWR | O_NOCTTY)
    guard airlink_terminal_remember(terminal, "\r\nfarewell") == 0 else { exit(99) }
    var mode = termios()
    tcgetattr(terminal, &mode)
    cfmakeraw(&mode)
    tcsetattr(terminal, TCSANOW, &mode)
  }

  private func farewell(_ terminal: TestTerminal) async throws {
    try await eventually { terminal.screen.lines.contains("farewell") }
    #expect(terminal.isCooked)
    terminal.closeAll()
  }

  /// A sanitizer ends the process in its own way when it meets this signal.
  private nonisolated static let isSanitized = getenv("AIRLINK_SANITIZED") != nil

  @Test("after a crash", .disabled(if: isSanitized, "a sanitizer takes the signal itself"))
  func crash() async throws {
    let terminal = try TestTerminal(columns: 40, rows: 10)
    await #expect(processExitsWith: .signal(SIGSEGV)) { [path = terminal.path as String] in
      RestoreTests.seize(path)
      kill(getpid(), SIGSEGV)
      pause()
    }
    try await farewell(terminal)
  }

  @Test("after a failed precondition")
  func trap() async throws {
    let terminal = try TestTerminal(columns: 40, rows: 10)
    await #expect(processExitsWith: .failure) { [path = terminal.path as String] in
      RestoreTests.seize(path)
      abort()
    }
    try await farewell(terminal)
  }

  @Test("after a signal that nobody handles", arguments: [SIGTERM, SIGINT, SIGQUIT, SIGHUP])
  func signal(number: Int32) async throws {
    let terminal = try TestTerminal(columns: 40, rows: 10)
    await #expect(processExitsWith: .signal(number)) {
      [path = terminal.path as String, number = number as Int32] in
      RestoreTests.seize(path)
      kill(getpid(), number)
      pause()
    }
    try await farewell(terminal)
  }

  @Test("after a plain exit")
  func exits() async throws {
    let terminal = try TestTerminal(columns: 40, rows: 10)
    await #expect(processExitsWith: .exitCode(3)) { [path = terminal.path as String] in
      RestoreTests.seize(path)
      exit(3)
    }
    try await farewell(terminal)
  }

  @Test("what is no terminal is not remembered")
  func none() {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    #expect(airlink_terminal_remember(null, "x") == -1)
    close(null)
  }
}
