/// Where libsodium wants a pointer that is not null, also for no bytes at all.
extension UnsafeRawBufferPointer {
  package var sodium: UnsafePointer<UInt8> {
    guard let baseAddress else { return nowhere.assumingMemoryBound(to: UInt8.self) }
    return baseAddress.assumingMemoryBound(to: UInt8.self)
  }
}

extension UnsafeMutableRawBufferPointer {
  package var sodium: UnsafeMutablePointer<UInt8> {
    UnsafeMutablePointer(mutating: UnsafeRawBufferPointer(self).sodium)
  }
}

/// Stands in for the address of empty buffers.
// Unsafe for the compiler alone: the pointer is set once, before its first use, and never changed,
// and no byte is ever read or written through it, so threads cannot race for anything.
nonisolated(unsafe) private let nowhere = UnsafeRawPointer(
  UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
