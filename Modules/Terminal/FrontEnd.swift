public import Chat

/// Why a front end asks the node to leave.
public enum FrontEndEnd: Hashable, Sendable {
  /// End of input, or `^D` on an empty line: leave with 0.
  case endOfInput
  /// The terminal or the reader of our output is gone: leave quietly with 0, nothing can be shown.
  case gone
  /// The reader does not take what is written: leave with 1 and this text on standard error.
  case failed(String)
}

/// What stands between the node and who uses it: a terminal or a program.
///
/// Signals that ask the program to end (SIGINT, SIGTERM, SIGHUP) are the program's own affair; no
/// front end touches them.
///
/// All on the main actor. The node makes one, sets the callbacks, and calls `start` when it can
/// take commands; then it shows events and carries out requests. A request may come from within
/// `start`; nothing but `onRoom` comes from within `show`, `notice` or
/// `stop`.
@MainActor
public protocol FrontEnd: AnyObject {
  var onRequest: (ChatRequest) -> Void { get set }
  /// Called once at most. `quit` comes as a request instead.
  var onEnd: (FrontEndEnd) -> Void { get set }
  /// The terminal came to the front: the moment for a hello.
  var onFocus: () -> Void { get set }
  /// Whether so much waits for the reader that nothing which could wait should be added.
  var isBehind: Bool { get }
  /// The reader has caught up, after `isBehind`.
  var onRoom: () -> Void { get set }

  /// Takes hold of the terminal or the pipes and begins to read.
  func start()
  func show(_ event: ChatEvent)
  /// One line for the person at the screen that is no event: a daemon that went away, a log line.
  ///
  /// It goes to the terminal without tearing the line being typed, or to standard error.
  func notice(_ text: String)
  /// Writes what waits, for two seconds at the most, and gives the terminal back as it was.
  func stop()
}
