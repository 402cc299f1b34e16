/// What a command line said, in the types its declarations name.
public struct Arguments: Sendable {
  /// The subcommands' names on the way to the one to run: `["create"]`; empty for a plain program.
  public let path: [String]
  let values: [String: [any Sendable]]

  /// Whether a flag was given.
  public subscript(flag: Flag) -> Bool { count(of: flag) > 0 }

  /// How often a flag was given: 2 for `-vv`.
  public func count(of flag: Flag) -> Int { values[flag.declaration.spelling]?.count ?? 0 }

  /// An option's value, or nil when it was not given.
  public subscript<Value>(option: Option<Value>) -> Value? { all(option).last }

  /// An option's value, or what holds when it was not given.
  public subscript<Value>(option: Option<Value>, default fallback: Value) -> Value {
    self[option] ?? fallback
  }

  public subscript<Value>(operand: Operand<Value>) -> Value? { all(operand).last }

  /// The value of a required option, which parsing has made sure of.
  public func required<Value>(_ option: Option<Value>) throws(UsageError) -> Value {
    guard let value = self[option] else {
      throw UsageError("\(option.declaration.spelling) is missing")
    }
    return value
  }

  /// The value of a required operand, which parsing has made sure of.
  public func required<Value>(_ operand: Operand<Value>) throws(UsageError) -> Value {
    guard let value = self[operand] else {
      throw UsageError("\(operand.declaration.spelling) is missing")
    }
    return value
  }

  /// All values of a repeatable option, in the order given.
  public func all<Value>(_ option: Option<Value>) -> [Value] {
    values[option.declaration.spelling, default: []].compactMap { $0 as? Value }
  }

  /// All values of a repeatable operand, in the order given.
  public func all<Value>(_ operand: Operand<Value>) -> [Value] {
    values[operand.declaration.spelling, default: []].compactMap { $0 as? Value }
  }
}
