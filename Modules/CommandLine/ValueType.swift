/// Why a text is no value: words that follow "--listen: ".
public struct Refusal: Error, Equatable, Sendable {
  public let reason: String

  public init(_ reason: String) { self.reason = reason }
}

/// What a shell may offer in a value's place.
public enum Completion: Sendable, Equatable {
  case nothing
  case words([String])
  case file
  case directory
}

/// How a word becomes a value, and what stands for it in the help.
public struct ValueType<Value: Sendable>: Sendable {
  public let metavariable: String
  public let completion: Completion
  let parse: @Sendable (String) throws(Refusal) -> Value

  /// A type whose `parse` takes the word whole.
  ///
  /// Its refusal's reason follows the option's name in the error line, and quotes what was wrong
  /// through `quoted(_:)`.
  public init(
    _ metavariable: String, completion: Completion = .nothing,
    parse: @escaping @Sendable (String) throws(Refusal) -> Value
  ) {
    self.metavariable = metavariable
    self.completion = completion
    self.parse = parse
  }
}

extension ValueType where Value == String {
  /// Any text but the empty one.
  public static func text(_ metavariable: String, suggesting words: [String] = []) -> Self {
    ValueType(metavariable, completion: words.isEmpty ? .nothing : .words(words)) {
      (text: String) throws(Refusal) -> String in try nonEmpty(text)
    }
  }

  /// A path; `-` stands for standard input or output where the tool says so.
  public static func file(_ metavariable: String = "FILE") -> Self {
    ValueType(metavariable, completion: .file) {
      (text: String) throws(Refusal) -> String in try nonEmpty(text)
    }
  }

  public static func directory(_ metavariable: String = "DIR") -> Self {
    ValueType(metavariable, completion: .directory) {
      (text: String) throws(Refusal) -> String in try nonEmpty(text)
    }
  }
}

private func nonEmpty(_ text: String) throws(Refusal) -> String {
  if text.isEmpty { throw Refusal("wants a value that is not empty") }
  return text
}

extension ValueType where Value: FixedWidthInteger {
  /// A whole number in decimal digits, within `range`.
  public static func integer(_ metavariable: String, in range: ClosedRange<Value>) -> Self {
    ValueType(metavariable) { (text: String) throws(Refusal) -> Value in
      // Not Value(text) alone: that also takes "+5".
      guard !text.hasPrefix("+"), let value = Value(text), range.contains(value) else {
        throw Refusal(
          "wants a whole number from \(range.lowerBound) to \(range.upperBound), "
            + "not \(quoted(text))")
      }
      return value
    }
  }
}

extension ValueType where Value == UInt16 {
  /// A port; 0 lets the system choose.
  public static var port: Self { .integer("PORT", in: 0...UInt16.max) }
}

extension ValueType where Value == Double {
  /// A finite number in decimal, within `range`.
  public static func number(_ metavariable: String, in range: ClosedRange<Double>) -> Self {
    ValueType(metavariable) { (text: String) throws(Refusal) -> Double in
      let allowed = text.utf8.allSatisfy { (48...57).contains($0) || $0 == 45 || $0 == 46 }
      guard allowed, let value = Double(text), range.contains(value) else {
        throw Refusal(
          "wants a number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))")
      }
      return value
    }
  }
}

extension ValueType
where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// One of a few words, the cases of an enumeration.
  public static func choice(_: Value.Type = Value.self) -> Self {
    let words = Value.allCases.map(\.rawValue)
    return ValueType(words.joined(separator: "|"), completion: .words(words)) {
      (text: String) throws(Refusal) -> Value in
      if let value = Value(rawValue: text) { return value }
      let nearest = Nearest.word(to: text, among: words).map { "; did you mean \($0)?" } ?? ""
      throw Refusal("is one of \(words.joined(separator: ", ")), not \(quoted(text))\(nearest)")
    }
  }
}

/// A word of somebody else's, made harmless and short enough for an error line.
public func quoted(_ text: String) -> String {
  "'\(DisplayText(text).truncated(toColumns: quotedColumns))'"
}

/// Long enough for a number, a name or most paths; an error stays one line.
private let quotedColumns = 60
