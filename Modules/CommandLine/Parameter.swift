/// How often a word may or must be given.
public enum Occurrence: Sendable, Equatable {
  case optional
  case required
  /// Any number of times, none among them.
  case repeated
  case atLeastOnce

  var minimum: Int { self == .required || self == .atLeastOnce ? 1 : 0 }
  var maximum: Int { self == .repeated || self == .atLeastOnce ? .max : 1 }
}

/// Something a command line takes: a `Flag`, an `Option` or an `Operand`.
///
/// What is declared here is what parsing, `--help`, the shells' completions and the man page test
/// all read.
public protocol Parameter: Sendable {
  var declaration: Declaration { get }
}

/// A parameter with its value's type forgotten.
public struct Declaration: Sendable {
  public enum Kind: Sendable, Equatable { case flag, option, operand }

  public let kind: Kind
  /// `listen` for `--listen`; `NUMBER` for an operand.
  public let name: String
  public let short: Character?
  /// What stands for the value in the help: `PORT`, `auto|off`; empty for a flag.
  public let metavariable: String
  public let help: String
  public let occurrence: Occurrence
  public let completion: Completion
  let parse: @Sendable (String) throws(Refusal) -> any Sendable

  /// `--listen`, or an operand's name.
  public var spelling: String { kind == .operand ? name : "--\(name)" }
}

/// A word that says yes by being there: `--json`.
public struct Flag: Parameter {
  public let declaration: Declaration

  /// A flag by its name without hyphens.
  ///
  /// One that `repeats` says more when given more often, as `-vv` does.
  public init(_ name: String, short: Character? = nil, repeats: Bool = false, help: String) {
    declaration = Declaration(
      kind: .flag, name: name, short: short, metavariable: "", help: help,
      occurrence: repeats ? .repeated : .optional, completion: .nothing
    ) { (_: String) throws(Refusal) -> any Sendable in true }
  }
}

/// A word with a value: `--listen 4000`, `--listen=4000`, `-l 4000` or `-l4000`.
public struct Option<Value: Sendable>: Parameter {
  public let declaration: Declaration

  /// An option by its name without hyphens.
  ///
  /// One that is not repeatable and is given twice is refused.
  public init(
    _ name: String, short: Character? = nil, _ type: ValueType<Value>,
    _ occurrence: Occurrence = .optional, help: String
  ) {
    declaration = Declaration(
      kind: .option, name: name, short: short, metavariable: type.metavariable, help: help,
      occurrence: occurrence, completion: type.completion
    ) { (text: String) throws(Refusal) -> any Sendable in try type.parse(text) }
  }
}

/// A word known by its place: `NUMBER` in `accept NUMBER`.
public struct Operand<Value: Sendable>: Parameter {
  public let declaration: Declaration

  /// An operand, shown under its type's metavariable unless it is named.
  public init(
    _ type: ValueType<Value>, named name: String? = nil, _ occurrence: Occurrence = .required,
    help: String
  ) {
    let name = name ?? type.metavariable
    declaration = Declaration(
      kind: .operand, name: name, short: nil, metavariable: name, help: help,
      occurrence: occurrence, completion: type.completion
    ) { (text: String) throws(Refusal) -> any Sendable in try type.parse(text) }
  }
}
