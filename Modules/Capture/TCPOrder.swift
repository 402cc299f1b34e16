/// Puts one direction of a TCP connection back in order.
///
/// Handles what a capture shows and a socket does not: retransmissions and overlaps, segments that
/// come out of order, segments the capture missed, sequence numbers that wrap, connections that
/// were there before the capture.
struct TCPOrder {
  /// Bytes that wait behind a hole; past it the hole is given up.
  static let maximumWaitingBytes = 128 * 1_024
  static let maximumWaitingSegments = 128
  /// How long a hole is waited for that nobody acknowledged.
  static let patience: Int64 = 5_000_000_000
  /// Segments further from what is expected belong to no window.
  static let maximumDistance: Int32 = 16 * 1_024 * 1_024

  private struct Waiting {
    let sequence: UInt32
    let bytes: [UInt8]
  }

  /// What is expected next; nil before the first segment.
  private(set) var next: UInt32?
  /// In the order of their sequence numbers, all of them behind a hole.
  private var waiting: [Waiting] = []
  private var waitingBytes = 0
  private var holeSince: Int64 = 0
  /// The highest byte that the other end has, plus one.
  private var acknowledged: UInt32?
  /// Where the segment ended that came last and belonged to no window.
  private var stray: UInt32?

  /// The first byte will have this number.
  mutating func begin(at sequence: UInt32) { self = TCPOrder(next: sequence) }

  init() {}
  private init(next: UInt32) { self.next = next }

  /// Takes a segment's data; `now` is the capture's time in nanoseconds.
  ///
  /// `deliver` is given the bytes that are next, `gap` how many are missing before what is
  /// delivered then.
  mutating func take(
    _ data: RawSpan, at sequence: UInt32, now: Int64, deliver: (RawSpan) -> Void,
    gap: (Int) -> Void
  ) {
    guard data.byteCount > 0 else { return }
    let expected = next ?? sequence
    next = expected
    let distance = Int32(bitPattern: sequence &- expected)
    guard distance.magnitude <= Self.maximumDistance.magnitude else {
      return takeStray(data, at: sequence, deliver: deliver, gap: gap)
    }
    stray = nil
    if distance <= 0 {
      take(data, known: Int(distance.magnitude), deliver: deliver)
    } else {
      if waiting.isEmpty { holeSince = now }
      insert(data, at: sequence)
    }
    settle(now: now, deliver: deliver, gap: gap)
  }

  /// The other end has everything before `sequence`.
  mutating func acknowledge(
    _ sequence: UInt32, now: Int64, deliver: (RawSpan) -> Void, gap: (Int) -> Void
  ) {
    if let acknowledged, Int32(bitPattern: sequence &- acknowledged) <= 0 { return }
    acknowledged = sequence
    if !waiting.isEmpty { settle(now: now, deliver: deliver, gap: gap) }
  }

  /// Nothing more will come: what waits is delivered, with the gaps in it.
  mutating func finish(deliver: (RawSpan) -> Void, gap: (Int) -> Void) {
    while !waiting.isEmpty {
      giveUpHole(gap)
      drain(deliver)
    }
  }

  /// Data of which the first `known` bytes were delivered already.
  private mutating func take(_ data: RawSpan, known: Int, deliver: (RawSpan) -> Void) {
    guard known < data.byteCount, let expected = next else { return }
    let fresh = data.extracting(droppingFirst: known)
    next = expected &+ UInt32(truncatingIfNeeded: fresh.byteCount)
    deliver(fresh)
  }

  /// A second one right behind the first says that a new connection has the old one's ports, and
  /// that its beginning was missed.
  private mutating func takeStray(
    _ data: RawSpan, at sequence: UInt32, deliver: (RawSpan) -> Void, gap: (Int) -> Void
  ) {
    if stray == sequence {
      finish(deliver: deliver, gap: gap)
      begin(at: sequence)
      gap(0)
      take(data, known: 0, deliver: deliver)
    } else {
      stray = sequence &+ UInt32(truncatingIfNeeded: data.byteCount)
    }
  }

  private mutating func insert(_ data: RawSpan, at sequence: UInt32) {
    let place =
      waiting.firstIndex { Int32(bitPattern: sequence &- $0.sequence) < 0 } ?? waiting.count
    // The same once more, as retransmissions are.
    if place > 0, waiting[place - 1].sequence == sequence,
      waiting[place - 1].bytes.count >= data.byteCount
    {
      return
    }
    let bytes = data.withUnsafeBytes { Array($0) }
    waiting.insert(Waiting(sequence: sequence, bytes: bytes), at: place)
    waitingBytes += bytes.count
  }

  /// Delivers what is in order, and gives up holes that nothing will fill.
  private mutating func settle(now: Int64, deliver: (RawSpan) -> Void, gap: (Int) -> Void) {
    drain(deliver)
    while let first = waiting.first {
      let isLost =
        acknowledged.map { Int32(bitPattern: $0 &- first.sequence) >= 0 } ?? false
        || waitingBytes > Self.maximumWaitingBytes
        || waiting.count > Self.maximumWaitingSegments
        || now.subtractingReportingOverflow(holeSince).partialValue > Self.patience
      guard isLost else { return }
      giveUpHole(gap)
      drain(deliver)
      holeSince = now
    }
  }

  private mutating func giveUpHole(_ gap: (Int) -> Void) {
    guard let expected = next, let first = waiting.first else { return }
    gap(Int(max(0, Int32(bitPattern: first.sequence &- expected))))
    next = first.sequence
  }

  private mutating func drain(_ deliver: (RawSpan) -> Void) {
    var done = 0
    while done < waiting.count, let expected = next {
      let segment = waiting[done]
      let distance = Int32(bitPattern: segment.sequence &- expected)
      guard distance <= 0 else { break }
      take(segment.bytes.span.bytes, known: Int(distance.magnitude), deliver: deliver)
      waitingBytes -= segment.bytes.count
      done += 1
    }
    waiting.removeFirst(done)
  }
}
