internal import CommandLine
internal import Glibc

/// Chooses the front end that suits what the program was started with.
@MainActor
public enum FrontEnds {
  /// The front end for programs when `json` is asked for, else the best one for this terminal.
  public static func standard(json: Bool, colors: Bool, environment: [String: String])
    -> any FrontEnd
  {
    if json { return JSONFront() }
    if let terminal = TerminalFront(colors: colors, environment: environment) { return terminal }
    let isTerminal = isatty(STDOUT_FILENO) == 1
    return LineFront(
      colors: colors && isTerminal,
      columns: isTerminal ? TerminalSize(of: STDOUT_FILENO).columns : nil)
  }
}
