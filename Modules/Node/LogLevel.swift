/// How much a node tells beside its events.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
  /// Nothing but what ends the program.
  case error
  /// What the user should know once: a daemon that went away, a file that cannot be written.
  case warning
  /// Why links went down, too.
  case info

  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    }
  }
}
