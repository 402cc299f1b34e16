internal import CSodium

/// Bytes that nobody else may see: in locked memory between guard pages, wiped when let go.
///
/// `sodium_malloc` costs several system calls: this is for keys that live long. Secrets of one
/// operation belong on the stack and are wiped with `sodium_memzero`.
public struct SecretBytes: ~Copyable, Sendable {
  // Written only while it is made or through `mutating` calls, so sharing it for reading is safe.
  nonisolated(unsafe) private let memory: UnsafeMutableRawPointer
  public let count: Int

  /// Zeros.
  public init(count: Int) {
    Sodium.start()
    guard let memory = sodium_malloc(max(count, 1)) else {
      preconditionFailure("no memory for \(count) secret bytes")
    }
    sodium_memzero(memory, count)
    self.memory = memory
    self.count = count
  }

  /// A copy of `bytes`, which the caller wipes.
  public init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count)
    if let base = bytes.baseAddress { memory.copyMemory(from: base, byteCount: bytes.count) }
  }

  /// Takes the bytes over and wipes where they stood.
  public init(consuming bytes: inout [UInt8]) {
    self.init(count: bytes.count)
    bytes.withUnsafeMutableBytes { source in
      guard let base = source.baseAddress else { return }
      memory.copyMemory(from: base, byteCount: source.count)
      sodium_memzero(base, source.count)
    }
    bytes.removeAll()
  }

  deinit { sodium_free(memory) }

  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  public mutating func withUnsafeMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeMutableRawBufferPointer(start: memory, count: count))
  }

  /// Compares in constant time.
  public func matches(_ other: borrowing SecretBytes) -> Bool {
    count == other.count && sodium_memcmp(memory, other.memory, count) == 0
  }
}

extension [UInt8] {
  /// Overwrites the bytes, which are no use afterwards.
  package mutating func wipe() {
    withUnsafeMutableBytes { sodium_memzero($0.sodium, $0.count) }
  }
}
