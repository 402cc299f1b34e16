/// Whether our frames are to carry what repairs the one before.
///
/// At a constant bit rate this is paid for with the sound itself: PESQ (P.862.2, wideband, of two
/// synthetic voices and a recorded one) falls from 3.5 to 2.7 where nothing is lost. At 5 % lost
/// both sound alike, at 10 % the repair is worth 0.3 and at 20 % 0.5. A speaker is not told what the
/// other side loses, so that it goes by what it loses itself: most roads are as bad one way as the
/// other, and where one is not, loss is concealed.
public struct RepairChoice: Sendable {
  /// Frames over which loss is counted before it counts: 2 s.
  static let framesCounted = 100
  /// Percent lost above which repair begins, and below which it ends.
  static let onAbove = 5.0
  static let offBelow = 2.5
  /// The weight of the newest count: some 6 s are looked back at.
  static let weight = 1.0 / 3

  public private(set) var isOn = false
  private var due = 0
  private var lost = 0
  private var lossPercent = 0.0

  public init() {}

  /// Takes in how many of the other side's frames were due, and how many of them had not come.
  ///
  /// - Returns: whether `isOn` has changed.
  public mutating func note(due newlyDue: Int, lost newlyLost: Int) -> Bool {
    due += max(0, newlyDue)
    lost += max(0, newlyLost)
    guard due >= Self.framesCounted else { return false }
    lossPercent += (100 * Double(lost) / Double(due) - lossPercent) * Self.weight
    (due, lost) = (0, 0)
    let before = isOn
    if lossPercent > Self.onAbove { isOn = true }
    if lossPercent < Self.offBelow { isOn = false }
    return isOn != before
  }
}
