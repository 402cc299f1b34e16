internal import CommandLine
public import Wire

/// A moment as the clock on the user's wall shows it.
public struct LocalTime: Hashable, Sendable {
  public let time: Timestamp
  /// Seconds that local time is ahead of UTC.
  public let offsetSeconds: Int

  public init(_ time: Timestamp, offsetSeconds: Int) {
    self.time = time
    self.offsetSeconds = offsetSeconds
  }

  /// Another moment by the same clock.
  func with(_ time: Timestamp) -> LocalTime { LocalTime(time, offsetSeconds: offsetSeconds) }

  private var text: String {
    RFC3339.format(
      milliseconds: time.advanced(by: .seconds(offsetSeconds)).milliseconds)
  }

  /// The date, as `2025-01-31`.
  var day: String { String(text.prefix(10)) }
  /// The time of day, as `12:34`.
  var clock: String { String(text.dropFirst(11).prefix(5)) }
}

/// One thing that is said in the transcript: a message, a state, a warning.
public struct TranscriptEntry: Hashable, Sendable {
  /// What says whose words follow; only the program writes it.
  let lead: StyledText
  let body: StyledText

  /// As wide as time and mark, so that others' words never stand where those do; narrower where
  /// there is no room for that.
  private static let margin = "      | "
  private static let narrowMargin = "| "
  private static let narrow = 32

  /// A line of the program's own.
  init(_ mark: Mark, _ body: StyledText, at now: LocalTime) {
    lead = StyledText(now.clock + " ", .quiet) + StyledText("\(mark.rawValue) ", mark.role)
    self.body = body
  }

  /// Someone's words after whose they are.
  init(_ mark: Mark, by author: StyledText, words: StyledText, at now: LocalTime) {
    self.init(mark, author + StyledText(": ", .quiet) + words, at: now)
  }

  private init(bare body: StyledText) {
    lead = StyledText()
    self.body = body
  }

  /// A new day begins in the transcript.
  static func day(_ now: LocalTime) -> TranscriptEntry {
    TranscriptEntry(bare: StyledText("-- \(now.day) --", .quiet))
  }

  /// The rows to print, none wider than `columns` cells; nil folds nothing.
  public func rows(columns: Int?) -> [StyledText] {
    let isNarrow = (columns ?? .max) < Self.narrow
    return StyledText.folded(
      lead: lead, body: body, margin: isNarrow ? Self.narrowMargin : Self.margin, columns: columns)
  }

  /// What an entry is, in the column after the time: the colour says nothing that it does not.
  enum Mark: Character {
    /// A message of someone whose safety number was compared.
    case verified = "✓"
    /// A message of someone whose safety number was not.
    case unverified = "?"
    case own = ">"
    case notice = "*"
    case warning = "!"

    var role: TextRole {
      switch self {
      case .verified: .good
      case .unverified: .warning
      case .own: .own
      case .notice: .quiet
      case .warning: .alarm
      }
    }
  }
}
