internal import CSodium

/// Randomness from the system, through libsodium.
public enum SystemRandom {
  /// Sixty-four random bits.
  public static func word() -> UInt64 {
    Sodium.start()
    var word: UInt64 = 0
    withUnsafeMutableBytes(of: &word) { randombytes_buf($0.sodium, $0.count) }
    return word
  }

  /// So many times sixty-four random bits.
  public static func words(_ count: Int) -> [UInt64] {
    Sodium.start()
    return [UInt64](unsafeUninitializedCapacity: count) { words, initialized in
      let bytes = UnsafeMutableRawBufferPointer(words)
      randombytes_buf(bytes.sodium, bytes.count)
      initialized = count
    }
  }

  /// Lends `count` fresh random bytes to `body` and wipes them afterwards.
  public static func withBytes<Result>(count: Int, _ body: (RawSpan) -> Result) -> Result {
    Sodium.start()
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { bytes in
      randombytes_buf(bytes.sodium, bytes.count)
      defer { sodium_memzero(bytes.sodium, bytes.count) }
      return body(UnsafeRawBufferPointer(bytes).bytes)
    }
  }
}
