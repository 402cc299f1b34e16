/// How `nlms` cuts sound into blocks.
///
/// Half a frame: short enough to learn a hundred times a second, and for a suppressor that is no more
/// than one block late. The transforms have 480 points, 50 Hz apart.
enum Block {
  /// Samples: 10 ms.
  static let size = 240
  static let transform = 2 * size
  static let bins = size + 1
  /// Bins in memory: a multiple of 8, the rest zero.
  static let stride = (bins + 7) / 8 * 8
  /// The parts of the filter, each of one block; the last one is cut to 4,096 taps in all.
  static let partitions = (EchoFormat.taps + size - 1) / size
  static let lastTaps = EchoFormat.taps - (partitions - 1) * size
  /// Blocks by which the filter may be moved: half a second.
  static let mostDelay = 50
  /// Far-end blocks that are remembered.
  static let history = partitions + mostDelay
}
