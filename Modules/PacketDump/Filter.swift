internal import Capture
internal import CommandLine
internal import Wire

/// Which packets to show, as `--filter` says it.
///
/// | | |
/// | --- | --- |
/// | either | both { `or` both } |
/// | both | one { `and` one } |
/// | one | `not` one, `(` either `)`, a word, or a field, an operator and a value |
indirect enum Filter: Equatable, Sendable {
  case any(Filter, Filter)
  case all(Filter, Filter)
  case not(Filter)
  case isCopy
  case isRelayed
  case isRefused
  case number(Field, Comparison, Int64)
  case kind(PacketKind, isEqual: Bool)
  /// Compared as lower-case hexadecimal digits, of which the first are enough.
  case id(String, isEqual: Bool)
  case destination(Destination, isEqual: Bool)
  case direction(Direction, isEqual: Bool)
  case link(String, TextComparison)

  enum Field: String, CaseIterable, Sendable {
    case version, hop, flags, size, payload, record, age, copies
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

  enum Destination: Equatable, Sendable {
    case number(Number)
    case fingerprint(Fingerprint)
  }

  /// Whether a packet passes; `link` is its link's name.
  func passes(_ facts: PacketFacts, link name: String) -> Bool {
    switch self {
    case .any(let a, let b): a.passes(facts, link: name) || b.passes(facts, link: name)
    case .all(let a, let b): a.passes(facts, link: name) && b.passes(facts, link: name)
    case .not(let other): !other.passes(facts, link: name)
    case .isCopy: facts.isCopy
    case .isRelayed: facts.hopsSinceFirst > 0
    case .isRefused: facts.refusal != nil
    case .number(let field, let comparison, let value):
      field.value(of: facts).map { comparison.holds($0, value) } ?? false
    case .kind(let kind, let isEqual): (facts.header.kind == kind) == isEqual
    case .id(let digits, let isEqual): facts.header.id.hex.hasPrefix(digits) == isEqual
    case .destination(let whom, let isEqual): whom.matches(facts.header.destination) == isEqual
    case .direction(let direction, let isEqual):
      (facts.crossing.direction == direction) == isEqual
    case .link(let text, .equal): name == text
    case .link(let text, .notEqual): name != text
    case .link(let text, .contains): name.containsText(text)
    }
  }
}

extension Filter.Destination {
  func matches(_ destination: Fingerprint) -> Bool {
    switch self {
    case .number(let number): destination != .everyone && destination.number == number
    case .fingerprint(let fingerprint): destination == fingerprint
    }
  }
}

extension Filter.Field {
  /// The field's value; nil where the packet has none, and then no comparison holds.
  func value(of facts: PacketFacts) -> Int64? {
    switch self {
    case .version: Int64(facts.header.version)
    case .hop: Int64(facts.header.hopLimit)
    case .flags: Int64(facts.header.flags)
    case .size: Int64(facts.header.packetLength)
    case .payload: Int64(facts.header.payloadLength)
    case .record: Int64(facts.crossing.record)
    case .age: facts.ageMilliseconds
    case .copies: Int64(facts.sighting.copy)
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
