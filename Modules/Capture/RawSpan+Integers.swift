extension RawSpan {
  /// The byte at an offset that is within the span.
  package func byte(at offset: Int) -> UInt8 {
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The unsigned big-endian integer at an offset; nil where the span ends before it does.
  package func load<Value: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, as: Value.Type
  ) -> Value? {
    guard offset >= 0, offset <= byteCount - Value.bitWidth / 8 else { return nil }
    return Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
  }

  /// The same for a little-endian integer.
  func load<Value: FixedWidthInteger & BitwiseCopyable>(
    little offset: Int, as: Value.Type
  ) -> Value? {
    load(offset, as: Value.self)?.byteSwapped
  }
}
