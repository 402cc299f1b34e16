/// A fixed number of floats in memory of their own, zero at first.
///
/// Cancellers work on these: their place never moves, no access is checked twice, and a frame
/// allocates nothing. Whoever uses the pointer keeps within `count`.
final class Samples {
  let count: Int
  let base: UnsafeMutablePointer<Float>

  init(_ count: Int) {
    self.count = count
    base = .allocate(capacity: count)
    base.initialize(repeating: 0, count: count)
  }

  deinit { base.deallocate() }

  func clear() { base.update(repeating: 0, count: count) }

  func scale(_ factor: Float) {
    for place in 0..<count { base[place] *= factor }
  }

  /// Copies a frame in, made harmless: what is no number is silence.
  func take(_ samples: Span<Float>, at offset: Int = 0) {
    for place in 0..<min(samples.count, count - offset) {
      let sample = samples[place]
      let held = max(-EchoState.loudest, min(EchoState.loudest, sample))
      base[offset + place] = sample.isNaN ? 0 : held
    }
  }
}

/// Sums over floats, eight at a time.
enum Kernel {
  typealias Vector = SIMD8<Float>

  @inline(__always)
  static func load(_ base: UnsafePointer<Float>, _ place: Int) -> Vector {
    UnsafeRawPointer(base + place).loadUnaligned(as: Vector.self)
  }

  /// The sum of products; `count` is a multiple of 16.
  @inline(__always)
  static func dot(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ count: Int) -> Float {
    var first = Vector.zero
    var second = Vector.zero
    var place = 0
    while place < count {
      first += load(a, place) * load(b, place)
      second += load(a, place + 8) * load(b, place + 8)
      place += 16
    }
    return (first + second).sum()
  }

  static func energy(_ a: UnsafePointer<Float>, _ count: Int) -> Float { dot(a, a, count) }

  /// Adds `factor` times `b` to `a`; `count` is a multiple of 8.
  @inline(__always)
  static func add(
    _ a: UnsafeMutablePointer<Float>, _ factor: Float, _ b: UnsafePointer<Float>, _ count: Int
  ) {
    let factors = Vector(repeating: factor)
    var place = 0
    while place < count {
      let sum = load(a, place) + factors * load(b, place)
      UnsafeMutableRawPointer(a + place).storeBytes(of: sum, as: Vector.self)
      place += 8
    }
  }
}
