/// Integers of a block or header in its file's byte order.
struct BlockReader {
  /// Valid while its file is not read on.
  let bytes: UnsafeRawBufferPointer
  let isBigEndian: Bool

  /// The integer at `offset`; nil where the block ends before it does.
  @inline(__always)
  func load<Value: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, _: Value.Type = Value.self
  ) -> Value? {
    guard offset >= 0, offset <= bytes.count - Value.bitWidth / 8 else { return nil }
    let value = bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    return isBigEndian ? Value(bigEndian: value) : Value(littleEndian: value)
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
