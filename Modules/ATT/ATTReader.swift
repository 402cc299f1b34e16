/// Takes fields from the front of a PDU; ATT is little-endian throughout.
struct ATTReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var count: Int { rest.count }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func word() -> UInt16? {
    guard rest.count >= 2, let low = rest.popFirst(), let high = rest.popFirst() else { return nil }
    return UInt16(high) << 8 | UInt16(low)
  }

  /// The next `count` bytes; nil when there are fewer.
  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// True when nothing is left.
  var isDone: Bool { rest.isEmpty }
}

extension Array<UInt8> {
  mutating func append(word: UInt16) {
    append(UInt8(truncatingIfNeeded: word))
    append(UInt8(truncatingIfNeeded: word >> 8))
  }
}
