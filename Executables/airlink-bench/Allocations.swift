internal import CAllocationCount

/// Counts the blocks of memory that work asks for.
enum Allocations {
  /// Whether this program was built so that they are counted: not under a sanitizer.
  static var areCounted: Bool { airlink_allocation_count() >= 0 }

  /// How many an operation asks for on the average of `count`; nil where they are not counted.
  static func each(_ count: Int, _ work: (Int) -> Void) -> Double? {
    guard areCounted else { return nil }
    let before = airlink_allocation_count()
    work(count)
    return Double(airlink_allocation_count() - before) / Double(count)
  }
}
