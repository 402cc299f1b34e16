/// Integers of a pcapng block in its section's byte order.
struct BlockReader {
  let bytes: [UInt8]
  let isBigEndian: Bool

  /// The integer at `offset`; nil where the block ends before it does.
  func load<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type = Value.self) -> Value? {
    let size = Value.bitWidth / 8
    guard offset >= 0, offset <= bytes.count - size else { return nil }
    var value: Value = 0
    for index in 0..<size {
      let place = isBigEndian ? offset + index : offset + size - 1 - index
      value = value << 8 | Value(truncatingIfNeeded: bytes[place])
    }
    return value
  }

  /// Calls `body` with each option's code and where its value lies, from `offset` up to `end`.
  ///
  /// Options that run over the end are the end of all.
  func options(from offset: Int, to end: Int, _ body: (UInt16, Range<Int>) -> Void) {
    var place = offset
    while place <= end - 4, let code = load(place, UInt16.self),
      let length = load(place + 2, UInt16.self)
    {
      let value = place + 4..<place + 4 + Int(length)
      guard code != 0, value.upperBound <= end else { return }
      body(code, value)
      place = value.upperBound + (4 - Int(length) % 4) % 4
    }
  }
}
