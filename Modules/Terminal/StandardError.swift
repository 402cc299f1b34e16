internal import CommandLine

/// Bounds that all front ends share.
enum FrontEndLimits {
  /// How long `stop` waits for a reader that does not take the last lines.
  static let drainMilliseconds: Int32 = 2_000
}

/// Lines for the person who started the program, where no terminal is edited.
enum StandardError {
  static func say(_ text: String) {
    // There is nowhere left to report that nobody reads this.
    try? TextSink.standardError.write("airlink-node: \(DisplayText(text))\n")
  }
}
