internal import Wire

/// Tells from other people's signed hellos that our own clock is likely wrong (PROTOCOL, section
/// 3): three different identities over 15 minutes off the same way, and none within it for 30
/// minutes.
///
/// A hello is never stored on the way, so its time is the sender's clock of a moment ago.
struct ClockSuspicion: Sendable {
  static let tolerance: Duration = .seconds(15 * 60)
  static let silence: Duration = .seconds(30 * 60)
  static let witnessesNeeded = 3

  private struct Witness: Sendable {
    var keys: PublicKeys
    var offset: Duration
    var isAhead: Bool { offset > .zero }
  }

  /// The last ones that were off, the same way all of them.
  private var witnesses: [Witness] = []
  private var lastAgreement: Instant?
  /// Which way others were off when it was told; nil since anybody agreed.
  private var toldAhead: Bool?

  /// Takes in that a hello of `keys`, whose signature holds, carried `time`.
  ///
  /// - Returns: how far our clock is behind (negative: ahead), when that has just become clear.
  mutating func heard(
    _ keys: PublicKeys, time: Timestamp, now: Instant, wallClock: Timestamp
  ) -> Duration? {
    let witness = Witness(keys: keys, offset: time.since(wallClock))
    if witness.offset >= .zero - Self.tolerance, witness.offset <= Self.tolerance {
      witnesses = []
      lastAgreement = now
      toldAhead = nil
      return nil
    }
    witnesses.removeAll { $0.keys == keys || $0.isAhead != witness.isAhead }
    witnesses.append(witness)
    if witnesses.count > Self.witnessesNeeded { witnesses.removeFirst() }
    let agreed = lastAgreement.map { now - $0 <= Self.silence } ?? false
    guard witnesses.count == Self.witnessesNeeded, !agreed, toldAhead != witness.isAhead else {
      return nil
    }
    toldAhead = witness.isAhead
    let sorted = witnesses.map(\.offset).sorted()
    return sorted[sorted.count / 2]
  }
}
