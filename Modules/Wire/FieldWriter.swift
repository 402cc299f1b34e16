/// Writes fields one after another into memory that the caller has sized for them.
///
/// For what is built in place, where an array would be one more copy of a secret.
@unsafe package struct FieldWriter {
  private var rest: UnsafeMutableRawBufferPointer

  package init(_ memory: UnsafeMutableRawBufferPointer) { unsafe rest = memory }

  /// How many bytes are not written yet.
  package var remaining: Int { unsafe rest.count }

  package mutating func put(_ bytes: UnsafeRawBufferPointer) {
    unsafe take(bytes.count).copyMemory(from: bytes)
  }

  package mutating func put(_ value: some FixedBytes) {
    unsafe withUnsafeBytes(of: value) { unsafe put($0) }
  }

  /// The integer, most significant byte first.
  package mutating func put(bigEndian value: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe put($0) }
  }

  /// The text's bytes, without a terminator.
  package mutating func put(_ label: StaticString) {
    label.withUTF8Buffer { unsafe put(UnsafeRawBufferPointer($0)) }
  }

  private mutating func take(_ count: Int) -> UnsafeMutableRawBufferPointer {
    precondition(unsafe count <= rest.count, "more fields than the memory was sized for")
    defer { unsafe rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...]) }
    return unsafe UnsafeMutableRawBufferPointer(rebasing: rest[..<count])
  }
}
