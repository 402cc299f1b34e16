internal import Capture
internal import CommandLine
internal import Wire

extension ValueType where Value == Filter {
  static var filter: Self {
    ValueType("EXPRESSION") { (text: String) throws(Refusal) -> Filter in
      var parser = try FilterParser(text)
      return try parser.whole()
    }
  }
}

/// Reads a filter by recursive descent.
struct FilterParser {
  /// How deep parentheses and `not` may stand in each other.
  static let maximumDepth = 64
  static let maximumTokens = 1_024
  private static let operators = Filter.Comparison.allCases.map(\.rawValue) + ["~"]
  static let fields =
    ["kind"] + Filter.DigitsField.allCases.map(\.rawValue)
    + Filter.PersonField.allCases.map(\.rawValue) + Filter.WordField.allCases.map(\.rawValue)
    + Filter.TextField.allCases.map(\.rawValue) + Filter.NumberField.allCases.map(\.rawValue)
  static let marks = Filter.Mark.allCases.map(\.rawValue)

  private enum Token: Equatable {
    case word(String)
    /// What stood between quotes: always a value.
    case quoted(String)
    case comparison(String)
    case open
    case close
  }

  private var tokens: [Token]
  private var next = 0
  private var depth = 0

  init(_ text: String) throws(Refusal) {
    tokens = []
    var rest = Substring(text)
    while let first = rest.first {
      guard tokens.count < Self.maximumTokens else { throw Refusal("is too long") }
      if first == " " || first == "\t" || first == "\n" {
        rest.removeFirst()
      } else if first == "(" || first == ")" {
        tokens.append(first == "(" ? .open : .close)
        rest.removeFirst()
      } else if let known = Self.operators.first(where: { rest.hasPrefix($0) }) {
        tokens.append(.comparison(known))
        rest.removeFirst(known.count)
      } else if first == "\"" {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "\"") else {
          throw Refusal("has a quotation mark without its second")
        }
        tokens.append(.quoted(String(rest[..<end])))
        rest = rest[rest.index(after: end)...]
      } else {
        let word = rest.prefix { !" \t\n()\"=!<>~".contains($0) }
        guard !word.isEmpty else { throw Refusal("has \(quoted(String(first))) out of place") }
        tokens.append(.word(String(word)))
        rest = rest[word.endIndex...]
      }
    }
  }

  mutating func whole() throws(Refusal) -> Filter {
    guard !tokens.isEmpty else { throw Refusal("wants an expression, such as 'kind == hello'") }
    let filter = try either()
    guard next == tokens.count else {
      throw Refusal("goes on with \(words(at: next)) where it should end; join with and, or")
    }
    return filter
  }

  private mutating func either() throws(Refusal) -> Filter {
    var filter = try both()
    while take(.word("or")) { filter = .any(filter, try both()) }
    return filter
  }

  private mutating func both() throws(Refusal) -> Filter {
    var filter = try one()
    while take(.word("and")) { filter = .all(filter, try one()) }
    return filter
  }

  private mutating func one() throws(Refusal) -> Filter {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw Refusal("is nested too deep") }
    if take(.word("not")) { return .not(try one()) }
    if take(.open) {
      let filter = try either()
      guard take(.close) else { throw Refusal("has a parenthesis that does not close") }
      return filter
    }
    guard case .word(let name)? = token else {
      throw Refusal(
        next < tokens.count
          ? "has \(words(at: next)) where a field should stand" : "ends too early")
    }
    next += 1
    if let mark = Filter.Mark(rawValue: name) { return .mark(mark) }
    return try comparison(of: name)
  }

  private mutating func comparison(of name: String) throws(Refusal) -> Filter {
    guard Self.fields.contains(name) else {
      let nearest = Nearest.word(to: name, among: Self.fields + Self.marks)
      throw Refusal(
        "knows no field \(quoted(name))"
          + (nearest.map { "; did you mean \($0)?" }
            ?? "; there are \((Self.fields + Self.marks).joined(separator: ", "))"))
    }
    guard case .comparison(let sign)? = token else {
      throw Refusal("wants ==, !=, <, <=, >, >= or ~ behind \(name)")
    }
    next += 1
    let value: String
    switch token {
    case .word(let text)?, .quoted(let text)?: value = text
    default: throw Refusal("wants a value behind \(name) \(sign)")
    }
    next += 1
    if let field = Filter.NumberField(rawValue: name) {
      guard let comparison = Filter.Comparison(rawValue: sign) else {
        throw Refusal("\(name) is a number: ~ is for link, name and text")
      }
      return .number(field, comparison, try number(value, of: field))
    }
    let field = Filter.TextField(rawValue: name)
    if let field, sign == "~" { return .text(field, value, .contains) }
    guard sign == "==" || sign == "!=" else {
      throw Refusal("\(name) takes == and != alone" + (field == nil ? "" : ", and ~"))
    }
    if let field { return .text(field, value, sign == "==" ? .equal : .notEqual) }
    return try equality(name, value, isEqual: sign == "==")
  }

  private func number(_ text: String, of field: Filter.NumberField) throws(Refusal) -> Int64 {
    guard let value = Int64(text) else {
      let unit = field == .age ? ", in milliseconds" : ""
      throw Refusal("\(field.rawValue) is a whole number\(unit), not \(quoted(text))")
    }
    return value
  }

  private func equality(
    _ name: String, _ value: String, isEqual: Bool
  ) throws(Refusal) -> Filter {
    if let field = Filter.DigitsField(rawValue: name) {
      let digits = value.lowercased()
      guard (1...32).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit) else {
        throw Refusal("an id is up to 32 hexadecimal digits, not \(quoted(value))")
      }
      return .digits(field, digits, isEqual: isEqual)
    }
    if let field = Filter.PersonField(rawValue: name) {
      return .person(field, try person(value, field), isEqual: isEqual)
    }
    if let field = Filter.WordField(rawValue: name) {
      guard field.words.contains(value) else {
        let words = field.words.dropLast().joined(separator: ", ")
        throw Refusal("\(name) is \(words) or \(field.words.last ?? ""), not \(quoted(value))")
      }
      return .word(field, value, isEqual: isEqual)
    }
    return .kind(try kind(value), isEqual: isEqual)
  }

  private func kind(_ text: String) throws(Refusal) -> Filter.Kind {
    if text == "frame" { return .frame }
    let known: [PacketKind] = [.hello, .sealed, .voice]
    let kind = known.first { $0.word == text } ?? UInt8(text).map { PacketKind(rawValue: $0) }
    guard let kind else {
      throw Refusal("kind is hello, sealed, voice, frame or a number, not \(quoted(text))")
    }
    return .packet(kind)
  }

  private func person(
    _ text: String, _ field: Filter.PersonField
  ) throws(Refusal) -> Filter.Person {
    if field == .to, text == "everyone" { return .fingerprint(.everyone) }
    if let fingerprint = Fingerprint(hex: text) { return .fingerprint(fingerprint) }
    do throws(Number.ParseError) {
      return .number(try Number(parsing: text))
    } catch {
      let what = field == .to ? "a number, a fingerprint or everyone" : "a number or a fingerprint"
      throw Refusal("\(field.rawValue) is \(what), not \(quoted(text))")
    }
  }

  private var token: Token? { next < tokens.count ? tokens[next] : nil }

  private mutating func take(_ wanted: Token) -> Bool {
    guard token == wanted else { return false }
    next += 1
    return true
  }

  private func words(at index: Int) -> String {
    switch tokens[index] {
    case .word(let text), .quoted(let text), .comparison(let text): quoted(text)
    case .open: "'('"
    case .close: "')'"
    }
  }
}
