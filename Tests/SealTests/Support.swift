import Foundation
import Identity
import Testing
import Wire

/// The `count` bytes that `body` writes.
func output<Failure: Error>(
  _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
) throws(Failure) -> [UInt8] {
  try withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { memory throws(Failure) in
    // Not zeros, so that a byte left unwritten shows.
    memory.initializeMemory(as: UInt8.self, repeating: 0xEE)
    try body(memory)
    return Array(memory)
  }
}

/// Lends several arrays at once.
func lending<Result>(
  _ arrays: [UInt8]..., body: ([UnsafeRawBufferPointer]) throws -> Result
) rethrows -> Result {
  let joined = arrays.flatMap { $0 }
  return try joined.withUnsafeBytes { joined in
    var offset = 0
    return try body(
      arrays.map { array in
        defer { offset += array.count }
        return UnsafeRawBufferPointer(rebasing: joined[offset..<(offset + array.count)])
      })
  }
}

/// The seeds of the property tests: `AIRLINK_SEED` alone when it is set, to run a failed one again.
let propertySeeds: [UInt64] =
  ProcessInfo.processInfo.environment["AIRLINK_SEED"].flatMap { UInt64($0) }.map { [$0] }
  ?? Array(1...20)

extension RandomNumberGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}

extension Identity {
  /// The identity whose seed's bytes are all `byte`.
  static func sample(_ byte: UInt8) throws -> Identity {
    try made(from: [UInt8](repeating: byte, count: Identity.seedLength))
  }

  static func made(from seed: [UInt8]) throws -> Identity {
    var seed = seed
    let identity = Identity(seed: SecretBytes(consuming: &seed))
    return try #require(identity)
  }
}

extension PacketID {
  static func sample(_ byte: UInt8) -> PacketID {
    PacketID([UInt8](repeating: byte, count: byteCount)) ?? PacketID()
  }
}
