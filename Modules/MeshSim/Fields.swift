internal import CommandLine

/// The fields of a JSON object, each asked for once; what nobody asked for is an error.
struct Fields {
  private var object: JSONObject
  private let what: String

  init(_ value: JSONValue, _ what: String) throws(ScenarioError) {
    guard let object = value.object else { throw ScenarioError("\(what): wants an object") }
    self.object = object
    self.what = what
  }

  mutating func take(_ name: String) -> JSONValue? {
    defer { object[name] = nil }
    return object[name]
  }

  func end() throws(ScenarioError) {
    if let field = object.fields.first {
      throw ScenarioError("\(what): no field is called \(quoted(field.name))")
    }
  }

  private func refuse(_ name: String, _ wanted: String) -> ScenarioError {
    ScenarioError("\(what).\(name): wants \(wanted)")
  }

  mutating func text(_ name: String) throws(ScenarioError) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.string, text.utf8.count <= 1_000 else { throw refuse(name, "a text") }
    return text
  }

  mutating func flag(_ name: String) throws(ScenarioError) -> Bool? {
    guard let value = take(name) else { return nil }
    guard let flag = value.bool else { throw refuse(name, "true or false") }
    return flag
  }

  mutating func list(_ name: String) throws(ScenarioError) -> [JSONValue]? {
    guard let value = take(name) else { return nil }
    guard let list = value.array else { throw refuse(name, "a list") }
    return list
  }

  mutating func number(
    _ name: String, in range: ClosedRange<Double>
  ) throws(ScenarioError) -> Double? {
    guard let value = take(name) else { return nil }
    guard let number = value.number, range.contains(number) else {
      throw refuse(name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func count(_ name: String, in range: ClosedRange<Int>) throws(ScenarioError) -> Int? {
    guard let value = take(name) else { return nil }
    guard let number = value.integer, range.contains(Int(number)) else {
      throw refuse(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return Int(number)
  }

  mutating func seconds(
    _ name: String, in range: ClosedRange<Double>
  ) throws(ScenarioError) -> Duration? {
    try number(name, in: range).map { .fromSeconds($0) }
  }

  mutating func numbers(_ name: String, _ count: Int) throws(ScenarioError) -> [Double]? {
    guard let list = try list(name) else { return nil }
    let numbers = list.compactMap(\.number)
    guard numbers.count == count, list.count == count,
      numbers.allSatisfy({ (0...1_000_000_000).contains($0) })
    else { throw refuse(name, "\(count) numbers") }
    return numbers
  }

  /// Two numbers, the lower first; or one that is both.
  mutating func range(_ name: String) throws(ScenarioError) -> ClosedRange<Double>? {
    if let single = object[name]?.number {
      object[name] = [.double(single), .double(single)]
    }
    guard let pair = try numbers(name, 2) else { return nil }
    guard pair[0] <= pair[1] else { throw refuse(name, "the lower number first") }
    return pair[0]...pair[1]
  }

  mutating func choice<Choice: CaseIterable & RawRepresentable>(
    _ name: String
  ) throws(ScenarioError) -> Choice? where Choice.RawValue == String {
    guard let value = take(name) else { return nil }
    guard let word = value.string, let choice = Choice(rawValue: word) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw refuse(name, "one of \(words)")
    }
    return choice
  }
}

extension JSONValue {
  /// A number, whole or not.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .null, .bool, .string, .array, .object: nil
    }
  }
}

extension Duration {
  /// So many seconds, to the microsecond; a hundred years at the most.
  static func fromSeconds(_ seconds: Double) -> Duration {
    .microseconds(Int64((min(max(0, seconds), 3e9) * 1e6).rounded()))
  }
}
