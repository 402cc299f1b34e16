internal import CommandLine

/// What a piece of text is, for a terminal that has colours.
///
/// Colour never carries a meaning that the words do not.
public enum TextRole: Hashable, Sendable, CaseIterable {
  case plain
  /// Times, links that come and go, states.
  case quiet
  /// Another person's name and number.
  case person
  /// What we wrote ourselves.
  case own
  /// Something went well: delivered, verified.
  case good
  case warning
  case alarm

  var style: TextStyle? {
    switch self {
    case .plain: nil
    case .quiet: .dim
    case .person: .cyan
    case .own: .blue
    case .good: .green
    case .warning: .yellow
    case .alarm: .red
    }
  }
}

/// Text in pieces of one role each; always harmless, for it goes to a terminal as it is.
public struct StyledText: Hashable, Sendable {
  /// Text of one role.
  public struct Piece: Hashable, Sendable {
    public var text: String
    public let role: TextRole
  }

  public private(set) var pieces: [Piece] = []

  public init() {}

  public init(_ text: String, _ role: TextRole = .plain) { append(text, role) }

  /// The text alone.
  public var plain: String { pieces.map(\.text).joined() }

  public var isEmpty: Bool { pieces.isEmpty }

  public mutating func append(_ text: String, _ role: TextRole) {
    if text.isEmpty { return }
    if let last = pieces.indices.last, pieces[last].role == role {
      pieces[last].text += text
    } else {
      pieces.append(Piece(text: text, role: role))
    }
  }

  public static func + (a: StyledText, b: StyledText) -> StyledText {
    var sum = a
    for piece in b.pieces { sum.append(piece.text, piece.role) }
    return sum
  }

  /// The text as a terminal gets it.
  public func rendered(colors: Bool) -> String {
    pieces.map { piece in piece.role.style?.apply(piece.text, isOn: colors) ?? piece.text }.joined()
  }
}
