/// A program or one of its subcommands: what it is called, what it takes, how it is explained.
///
/// One value is the source of parsing, `--help`, the shells' completions and the check that the
/// man page is complete.
public struct Command: Sendable {
  /// Parameters under one heading of the help.
  public struct Section: Sendable {
    public let title: String
    public let parameters: [any Parameter]

    public init(_ title: String, _ parameters: [any Parameter]) {
      self.title = title
      self.parameters = parameters
    }
  }

  public struct Example: Sendable {
    public let words: String
    public let meaning: String

    /// An example line, whole as typed, the program's name first.
    public init(_ words: String, _ meaning: String) {
      self.words = words
      self.meaning = meaning
    }
  }

  public let name: String
  /// One line, no full stop.
  public let summary: String
  /// More, in paragraphs; wrapped by the help.
  public let discussion: String
  public let sections: [Section]
  /// Options of which at most one may be given.
  public let exclusive: [[any Parameter]]
  public let subcommands: [Command]
  public let examples: [Example]

  public init(
    _ name: String, summary: String, discussion: String = "",
    parameters: [any Parameter] = [], sections: [Section] = [],
    exclusive: [[any Parameter]] = [], subcommands: [Command] = [], examples: [Example] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.sections = (parameters.isEmpty ? [] : [Section("Options", parameters)]) + sections
    self.exclusive = exclusive
    self.subcommands = subcommands
    self.examples = examples
  }

  /// Everything this command itself takes, without what it inherits.
  public var declarations: [Declaration] {
    sections.flatMap { $0.parameters.map(\.declaration) }
  }

  var operands: [Declaration] { declarations.filter { $0.kind == .operand } }
  var options: [Declaration] { declarations.filter { $0.kind != .operand } }
}

/// What AirLink's programs have in common.
public enum Common {
  // Every program has these three without declaring them.
  public static let help = Flag("help", short: "h", help: "Show this help and leave.")
  public static let version = Flag(
    "version", help: "Show the versions of the program and its libraries and leave.")
  public static let completions = Option(
    "completions", .choice(Shell.self), help: "Print completions for a shell and leave.")

  public static let json = Flag("json", help: "Print one JSON object a line.")
  public static let home = Option(
    "home", .directory(),
    help: "Where identity and contacts live (else $AIRLINK_HOME, "
      + "else $XDG_DATA_HOME/airlink, else ~/.local/share/airlink).")
  public static let color = Option(
    "color", .choice(ColorChoice.self), help: "When to use colour; auto: on a terminal only.")

  static let always: [Declaration] = [
    help.declaration, version.declaration, completions.declaration,
  ]
}

/// A shell that completions can be written for.
public enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
