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

/// Stands in for the address of empty buffers, through which nothing is read or written.
nonisolated(unsafe) private let nowhere = UnsafeRawPointer(
  UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
