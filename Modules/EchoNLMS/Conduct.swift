/// The owner's rules of conduct (PROTOCOL, section 7): louder out than in for about a second is a
/// reset, and after three resets the canceller is off.
struct Conduct {
  static let audible: Float = 1e-6
  /// Blocks of 10 ms in a row.
  static let louderBlocks = 100
  static let maximumResets = 3
  private static let memory: Float = 0.9

  private var input: Float = 0
  private var output: Float = 0
  private var louder = 0
  private(set) var resets = 0
  var isOff: Bool { resets >= Self.maximumResets }

  /// Takes the energies of a block before and after the filter; true when the filter is to forget.
  mutating func note(input now: Float, output left: Float) -> Bool {
    input = Self.memory * input + (1 - Self.memory) * now
    output = Self.memory * output + (1 - Self.memory) * left
    louder = output > input ? louder + 1 : 0
    guard louder >= Self.louderBlocks else { return false }
    louder = 0
    resets += 1
    return true
  }
}
