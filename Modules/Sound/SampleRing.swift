internal import Synchronization

/// Samples on their way from one thread to another, without a lock and without memory of their own
/// for each.
///
/// One thread pushes and one pops. Sendable, though the compiler cannot see it: each side writes its
/// own count alone, releases it after the samples, and looks at the other's before touching them.
public final class SampleRing: @unchecked Sendable {
  private let samples: UnsafeMutablePointer<Float>
  public let capacity: Int
  /// Samples ever pushed, and ever popped.
  private let pushed = Atomic<Int>(0)
  private let popped = Atomic<Int>(0)

  /// Room for `capacity` samples, at least one.
  public init(capacity: Int) {
    self.capacity = max(1, capacity)
    samples = .allocate(capacity: self.capacity)
    samples.initialize(repeating: 0, count: self.capacity)
  }

  deinit { samples.deallocate() }

  /// Samples that wait.
  public var count: Int { pushed.load(ordering: .acquiring) - popped.load(ordering: .acquiring) }

  /// Adds as many samples as there is room for; returns how many.
  public func push(_ added: Span<Float>) -> Int {
    let end = pushed.load(ordering: .relaxed)
    let number = min(added.count, capacity - (end - popped.load(ordering: .acquiring)))
    for place in 0..<max(0, number) { samples[(end + place) % capacity] = added[place] }
    pushed.store(end + max(0, number), ordering: .releasing)
    return max(0, number)
  }

  /// Takes as many samples as there are room and samples for; returns how many.
  public func pop(into taken: inout MutableSpan<Float>) -> Int {
    let start = popped.load(ordering: .relaxed)
    let number = min(taken.count, pushed.load(ordering: .acquiring) - start)
    for place in 0..<max(0, number) { taken[place] = samples[(start + place) % capacity] }
    popped.store(start + max(0, number), ordering: .releasing)
    return max(0, number)
  }

  /// Throws away up to `number` samples, the oldest; returns how many.
  public func discard(_ number: Int) -> Int {
    let start = popped.load(ordering: .relaxed)
    let thrown = max(0, min(number, pushed.load(ordering: .acquiring) - start))
    popped.store(start + thrown, ordering: .releasing)
    return thrown
  }
}
