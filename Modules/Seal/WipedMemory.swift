internal import CSodium
internal import Identity

/// Lends `body` memory for the secrets of one operation, and wipes it however the body ends.
///
/// On the stack, up to a kilobyte: `sodium_malloc` would cost several system calls each time.
func withWipedMemory<Result, Failure: Error>(
  byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
  try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) {
    memory throws(Failure) in
    defer { sodium_memzero(memory.sodium, memory.count) }
    return try body(memory)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The `count` bytes from `offset` on.
  func part(at offset: Int, count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: self[offset..<(offset + count)])
  }
}
