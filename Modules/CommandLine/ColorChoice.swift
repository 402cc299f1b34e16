/// What `--color` says.
public enum ColorChoice: String, CaseIterable, Sendable {
  case auto, always, never

  /// Whether to colour what goes to a stream.
  ///
  /// Auto: on a terminal, unless `NO_COLOR` is set and not empty (no-color.org), `TERM` is `dumb`
  /// or unset.
  public func isOn(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      let term = environment["TERM"] ?? ""
      return isTerminal && environment["NO_COLOR", default: ""].isEmpty
        && !term.isEmpty && term != "dumb"
    }
  }
}

/// Colours of the terminal's own palette, so that they suit its background.
public enum TextStyle: String, Sendable {
  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case blue = "34"
  case magenta = "35"
  case cyan = "36"

  /// `text` in this style, or as it is where there are no colours.
  public func apply(_ text: String, isOn: Bool) -> String {
    isOn ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
