import Foundation
import Wire

/// The seeds of the property tests: `AIRLINK_SEED` alone when it is set, to run a failed one again.
let propertySeeds: [UInt64] =
  ProcessInfo.processInfo.environment["AIRLINK_SEED"].flatMap { UInt64($0) }.map { [$0] }
  ?? Array(1...20)

extension RandomNumberGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  mutating func value<Value: FixedBytes>(_ type: Value.Type = Value.self) -> Value {
    Value(bytes(Value.byteCount)) ?? Value()
  }
}

/// What came of reading: the value or why there is none.
func outcome<Value, Failure: Error>(
  _ read: () throws(Failure) -> Value
) -> Result<Value, Failure> {
  do throws(Failure) {
    return .success(try read())
  } catch {
    return .failure(error)
  }
}

/// Reads a whole packet, as a tool that was handed one.
func whole(_ bytes: [UInt8]) -> Packet? {
  guard let view = PacketView(whole: bytes.span.bytes) else { return nil }
  return Packet(copying: view)
}
