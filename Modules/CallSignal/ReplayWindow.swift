/// Which of a call's last 64 frames were had (PROTOCOL, section 7).
///
/// An anti-replay window as in RFC 4303, section 3.4.3. It is shown the sequences of frames that
/// opened, and of no others: whoever could move it with a made-up sequence would have all frames
/// that follow refused.
struct ReplayWindow: Hashable, Sendable {
  static let size: UInt32 = 64

  enum Verdict: Hashable, Sendable {
    /// Not had before.
    case fresh
    /// Had before, within the last 64.
    case copy
    /// Older than the window reaches: nobody can tell.
    case old
  }

  private(set) var newest: UInt32?
  /// Bit n stands for the sequence n before the newest.
  private var had: UInt64 = 0

  /// Takes in the sequence of a frame that opened.
  mutating func note(_ sequence: UInt32) -> Verdict {
    guard let newest else {
      self.newest = sequence
      had = 1
      return .fresh
    }
    if sequence > newest {
      let step = sequence - newest
      had = step < Self.size ? had << UInt64(step) | 1 : 1
      self.newest = sequence
      return .fresh
    }
    let age = newest - sequence
    guard age < Self.size else { return .old }
    let bit: UInt64 = 1 << UInt64(age)
    guard had & bit == 0 else { return .copy }
    had |= bit
    return .fresh
  }
}
