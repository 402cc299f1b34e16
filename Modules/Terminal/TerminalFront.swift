internal import CTerminal
public import Chat
internal import EventLoop
internal import Glibc

/// The interactive node at a terminal: a line to type on, and the transcript above it.
///
/// What arrives is printed above the line, which is drawn anew below it: nothing that arrives ever
/// tears what is being typed. When the terminal goes, the node is told to leave quietly, and
/// whatever ends the process, the terminal is given back in the mode it was found in.
@MainActor
public final class TerminalFront: FrontEnd {
  public var onRequest: (ChatRequest) -> Void = { _ in }
  public var onEnd: (FrontEndEnd) -> Void = { _ in }
  public var onFocus: () -> Void = {}
  public var onRoom: () -> Void = {}
  /// Long before lines are left out: what can wait is not taken in for a terminal that stands still.
  public var isBehind: Bool { outlet.waiting >= caughtUpBelow }

  let input: Int32
  let output: Int32
  let colors: Bool
  /// Whether the terminal breaks long rows anew when its width changes.
  let reflows: Bool
  let outlet: Outlet
  var inlet: Inlet?
  var editor: LineEditor?
  var screen = PromptScreen()
  var decoder = KeyDecoder()
  var history = LineHistory()
  var session = ChatSession()
  var size = TerminalSize()
  var signals: [SignalInlet.Token] = []
  var bell: EventLoop.Timer?
  /// Looks for our return to the foreground, while we are in the background.
  var foregroundWatch: EventLoop.Timer?
  /// Counts what is fed to the decoder, so that a late timer knows that it is late.
  var feeds = 0
  /// Entries that a terminal that takes nothing was not given.
  var lost = 0
  var isSuspended = false
  var isOver = false
  var isStopped = false
  /// Whether the last ^C found nothing to clear.
  var wasInterrupted = false

  /// Bytes that wait for the terminal from which on nothing more is drawn, and below which it is.
  var behindAbove = 1 << 20
  var caughtUpBelow = 1 << 16
  /// Bracketed paste and focus events (xterm); unknown private modes are ignored by all others.
  static let greeting = "\u{1B}[?2004h\u{1B}[?1004h"
  static let farewell = "\u{1B}[?2004l\u{1B}[?1004l"

  /// Nil when the two descriptors are not a terminal that lines can be edited on.
  public init?(
    input: Int32 = 0, output: Int32 = 1, colors: Bool, environment: [String: String]
  ) {
    guard isatty(input) == 1, isatty(output) == 1, !Self.isDumb(environment) else { return nil }
    self.input = input
    self.output = output
    self.colors = colors
    let term = environment["TERM"] ?? ""
    reflows =
      environment["XTERM_VERSION"] == nil && term != "linux"
      && !(term.hasPrefix("screen") && environment["TMUX"] == nil)
    signal(SIGPIPE, SIG_IGN)
    outlet = Outlet(descriptor: output, limit: JSONFront.maximumWaiting)
    size = TerminalSize(of: output)
    outlet.onClosed = { [weak self] in self?.end(.gone) }
    outlet.onProgress = { [weak self] in self?.catchUp() }
  }

  /// Whether a terminal can do no more than print.
  static func isDumb(_ environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    return term.isEmpty || term == "dumb"
  }

  public func start() {
    Self.useUTF8()
    _ = airlink_terminal_remember(outlet.descriptor, "\r\n" + Self.farewell)
    editor = LineEditor(input: input, output: output)
    outlet.write(Self.greeting)
    listenForSignals()
    inlet = Inlet(
      descriptor: input,
      // In the background a read would fail, or take what is typed to the shell.
      mayRead: { [weak self] in
        guard let self, !self.isInForeground else { return true }
        self.leaveToOthers()
        return false
      },
      onBytes: { [weak self] in self?.take($0) },
      // At a terminal the end of input is not ^D, which is a key here: it hung up.
      onEnd: { [weak self] _ in self?.end(.gone) })
    for request in session.openingRequests { onRequest(request) }
    draw()
  }

  public func show(_ event: ChatEvent) {
    let entries = session.entries(for: event, at: .now())
    if case .call(let call) = event { setRinging(call.state == .ringing) }
    say(entries)
  }

  public func notice(_ text: String) { say([session.transcript.notice(text, at: .now())]) }

  public func stop() {
    isStopped = true
    isOver = true
    inlet?.close()
    inlet = nil
    setRinging(false)
    stopWatchingForeground()
    for token in signals { SignalInlet.shared.remove(token) }
    signals = []
    if !isSuspended { outlet.write(screen.erase() + Self.farewell) }
    // Setting the mode waits until what was written is taken: not from a terminal that takes none.
    if !outlet.drain(milliseconds: FrontEndLimits.drainMilliseconds) { tcflush(output, TCOFLUSH) }
    // In the background the terminal's mode is the shell's affair.
    if isInForeground { editor?.close() }
    editor = nil
    airlink_terminal_forget()
    outlet.close()
  }

  func end(_ reason: FrontEndEnd) {
    if isOver { return }
    isOver = true
    inlet?.close()
    inlet = nil
    // Later: the node may be in the middle of showing something.
    EventLoop.main.nextTurn { [weak self] in
      if let self, !self.isStopped { self.onEnd(reason) }
    }
  }

  /// Characters are UTF-8, also where the environment names no locale at all.
  private static func useUTF8() {
    setlocale(LC_CTYPE, "")
    if let codeset = nl_langinfo(Int32(CODESET)), String(cString: codeset) == "UTF-8" { return }
    setlocale(LC_CTYPE, "C.UTF-8")
  }
}

/// How large a terminal is.
struct TerminalSize: Equatable {
  var columns = 80
  var rows = 24

  init() {}

  init(of descriptor: Int32) {
    var (columns, rows): (Int32, Int32) = (0, 0)
    guard airlink_terminal_size(descriptor, &columns, &rows) == 0 else { return }
    if columns > 0 { self.columns = Int(columns) }
    if rows > 0 { self.rows = Int(rows) }
  }
}
