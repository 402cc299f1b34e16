internal import Capture
internal import CommandLine
internal import Seal
internal import Wire

/// Which packets and frames to show, as `--filter` says it.
///
/// | | |
/// | --- | --- |
/// | either | both { `or` both } |
/// | both | one { `and` one } |
/// | one | `not` one, `(` either `)`, a word, or a field, an operator and a value |
///
/// A comparison of what is not there does not hold, whatever its operator.
indirect enum Filter: Equatable, Sendable {
  case any(Filter, Filter)
  case all(Filter, Filter)
  case not(Filter)
  case mark(Mark)
  case number(NumberField, Comparison, Int64)
  case kind(Kind, isEqual: Bool)
  /// Compared as lower-case hexadecimal digits, of which the first are enough.
  case digits(DigitsField, String, isEqual: Bool)
  case person(PersonField, Person, isEqual: Bool)
  case word(WordField, String, isEqual: Bool)
  case text(TextField, String, TextComparison)

  enum Mark: String, CaseIterable, Sendable { case copy, relayed, refused, opened }

  enum NumberField: String, CaseIterable, Sendable {
    case version, hop, flags, size, payload, record, age, copies, sequence
  }

  enum DigitsField: String, CaseIterable, Sendable { case id, message }
  enum PersonField: String, CaseIterable, Sendable { case to, from }
  enum TextField: String, CaseIterable, Sendable { case link, name, text }

  enum WordField: String, CaseIterable, Sendable {
    case dir, content, signal

    /// What the field can be.
    var words: [String] {
      switch self {
      case .dir: ["in", "out"]
      case .content: ["text", "receipt", "call-signal"]
      case .signal: ["invite", "answer", "decline", "end", "deaf"]
      }
    }
  }

  enum Kind: Equatable, Sendable {
    case packet(PacketKind)
    case frame
  }

  enum Person: Equatable, Sendable {
    case number(Number)
    case fingerprint(Fingerprint)
  }

  enum Comparison: String, CaseIterable, Sendable {
    case equal = "=="
    case notEqual = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case more = ">"

    func holds(_ a: Int64, _ b: Int64) -> Bool {
      switch self {
      case .equal: a == b
      case .notEqual: a != b
      case .atMost: a <= b
      case .atLeast: a >= b
      case .less: a < b
      case .more: a > b
      }
    }
  }

  enum TextComparison: Equatable, Sendable { case equal, notEqual, contains }

  /// What has to be read of a packet before a filter can be asked.
  struct Wants: OptionSet, Sendable {
    let rawValue: Int
    static let hello = Wants(rawValue: 1)
    static let opening = Wants(rawValue: 2)
  }

  var wants: Wants {
    switch self {
    case .any(let a, let b), .all(let a, let b): a.wants.union(b.wants)
    case .not(let other): other.wants
    case .mark(.opened), .digits(.message, _, _), .text(.text, _, _), .word(.content, _, _),
      .word(.signal, _, _):
      .opening
    case .person(.from, _, _): [.hello, .opening]
    case .text(.name, _, _): .hello
    case .mark, .number, .kind, .digits, .person, .word, .text: []
    }
  }

  /// A field or word that says nothing as long as no message is opened; nil where there is none.
  var openedWord: String? {
    switch self {
    case .any(let a, let b), .all(let a, let b): a.openedWord ?? b.openedWord
    case .not(let other): other.openedWord
    case .mark(.opened): Mark.opened.rawValue
    case .digits(.message, _, _): DigitsField.message.rawValue
    case .text(.text, _, _): TextField.text.rawValue
    case .word(let field, _, _) where field != .dir: field.rawValue
    default: nil
    }
  }

  func passes(_ subject: FilterSubject) -> Bool {
    switch self {
    case .any(let a, let b): a.passes(subject) || b.passes(subject)
    case .all(let a, let b): a.passes(subject) && b.passes(subject)
    case .not(let other): !other.passes(subject)
    case .mark(let mark): mark.holds(subject)
    case .number(let field, let comparison, let value):
      field.value(of: subject).map { comparison.holds($0, value) } ?? false
    case .kind(let kind, let isEqual):
      (kind == (subject.facts.map { .packet($0.header.kind) } ?? .frame)) == isEqual
    case .digits(let field, let digits, let isEqual):
      field.value(of: subject).map { $0.hasPrefix(digits) == isEqual } ?? false
    case .person(let field, let whom, let isEqual):
      field.value(of: subject).map { whom.matches($0) == isEqual } ?? false
    case .word(let field, let word, let isEqual):
      field.value(of: subject).map { ($0 == word) == isEqual } ?? false
    case .text(let field, let text, let comparison):
      field.value(of: subject).map { comparison.holds($0, text) } ?? false
    }
  }
}

extension Filter.Person {
  func matches(_ whom: Fingerprint) -> Bool {
    switch self {
    case .number(let number): whom != .everyone && whom.number == number
    case .fingerprint(let fingerprint): whom == fingerprint
    }
  }
}

extension Filter.Mark {
  fileprivate func holds(_ subject: FilterSubject) -> Bool {
    switch self {
    case .copy: subject.facts?.isCopy ?? false
    case .relayed: (subject.facts?.hopsSinceFirst ?? 0) > 0
    case .refused: subject.facts?.refused != nil
    case .opened: subject.message != nil
    }
  }
}

extension Filter.NumberField {
  /// Nil where there is none, and then no comparison holds.
  fileprivate func value(of subject: FilterSubject) -> Int64? {
    let facts = subject.facts
    switch self {
    case .version: return facts.map { Int64($0.header.version) }
    case .hop: return facts.map { Int64($0.header.hopLimit) }
    case .flags: return facts.map { Int64($0.header.flags) }
    case .size: return Int64(subject.size)
    case .payload: return Int64(subject.payload)
    case .record: return Int64(subject.crossing.record)
    case .age: return facts?.ageMilliseconds
    case .copies: return facts.map { Int64($0.sighting.copy) }
    case .sequence: return subject.sequence.map(Int64.init)
    }
  }
}

extension Filter.DigitsField {
  fileprivate func value(of subject: FilterSubject) -> String? {
    switch self {
    case .id: subject.facts?.header.id.hex
    case .message: subject.message?.envelope.messageID.hex
    }
  }
}

extension Filter.PersonField {
  fileprivate func value(of subject: FilterSubject) -> Fingerprint? {
    switch self {
    case .to: subject.facts?.header.destination
    case .from: subject.from
    }
  }
}

extension Filter.WordField {
  fileprivate func value(of subject: FilterSubject) -> String? {
    switch self {
    case .dir: subject.crossing.direction?.rawValue
    case .content: subject.message?.envelope.content.word
    case .signal: subject.signal
    }
  }
}

extension Filter.TextField {
  fileprivate func value(of subject: FilterSubject) -> String? {
    switch self {
    case .link: subject.link
    case .name: subject.hello?.name
    case .text: subject.text
    }
  }
}

extension Filter.TextComparison {
  /// Byte for byte: no two texts are one that are written differently.
  fileprivate func holds(_ a: String, _ b: String) -> Bool {
    switch self {
    case .equal: a.utf8.elementsEqual(b.utf8)
    case .notEqual: !a.utf8.elementsEqual(b.utf8)
    case .contains: a.containsText(b)
    }
  }
}

extension String {
  /// Whether `other` stands in it somewhere, byte for byte.
  fileprivate func containsText(_ other: String) -> Bool {
    let (text, part) = (Array(utf8), Array(other.utf8))
    guard part.count <= text.count else { return false }
    return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
  }
}
