/// A small quick generator with one word of state (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014).
///
/// For what must be reproducible and not secret: jitter, tests, the simulator. Never for keys.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
