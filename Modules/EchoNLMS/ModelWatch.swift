/// Notices when a model that was good explains nothing any more: the echo moved, or somebody talks.
struct ModelWatch {
  /// Of the microphone's energy: what a good model leaves at the most, and a lost one at least.
  static let good: Float = 0.1
  static let lost: Float = 0.5
  /// Audible blocks in a row that make a model good, and lost.
  static let goodBlocks = 30
  static let lostBlocks = 8
  /// Smoothing of the energies, about 50 ms.
  static let memory: Float = 0.8

  private var input: Float = 0
  private var left: Float = 0
  private var goodRow = 0
  private var lostRow = 0
  private var wasGood = false

  /// Whether the model explains little of what is heard now.
  var isLost: Bool { left > Self.lost * input }

  /// Takes the energies of a block before and after the filter; true once when the model is lost.
  mutating func note(input now: Float, left after: Float) -> Bool {
    input = Self.memory * input + (1 - Self.memory) * now
    left = Self.memory * left + (1 - Self.memory) * after
    goodRow = left < Self.good * input ? goodRow + 1 : 0
    lostRow = left > Self.lost * input ? lostRow + 1 : 0
    if goodRow >= Self.goodBlocks { wasGood = true }
    guard wasGood, lostRow >= Self.lostBlocks else { return false }
    wasGood = false
    return true
  }
}
