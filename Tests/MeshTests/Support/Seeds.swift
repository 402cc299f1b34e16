import Foundation

/// The seeds of the property tests: `AIRLINK_SEED` alone when it is set, to run a failed one again,
/// or as many as `AIRLINK_SEEDS` says.
func seeds(_ count: UInt64) -> [UInt64] {
  let environment = ProcessInfo.processInfo.environment
  if let one = environment["AIRLINK_SEED"].flatMap({ UInt64($0) }) { return [one] }
  return Array(1...(environment["AIRLINK_SEEDS"].flatMap { UInt64($0) } ?? count))
}
