public import Wire

/// What is to be played for the next 20 ms.
public enum Playout: Hashable, Sendable {
  /// This frame.
  case frame([UInt8])
  /// A lost frame, by what this one behind it repeats of it.
  case recover(from: [UInt8])
  /// A lost frame, or time that has to pass until enough waits: what is likely.
  case conceal
  /// Nothing: nobody speaks yet, or the other side gives no sound.
  case silence
}

/// Holds frames back just long enough that most of them are there when they are played.
///
/// A frame's *lateness* is how much later it came than the quickest of the last seconds, by the
/// number it carries. The buffer waits as long as all but a few percent of the last 3 s were late,
/// and one frame more. It follows changes by leaving a frame out or by filling one in, so the sound
/// keeps its pitch.
///
/// A stall is no jitter: time goes on while nothing comes, and what comes then in a burst and is too
/// late is not played at all, or all that follows would be late. Only when everything stays late,
/// because the road has become a longer one, does it begin anew.
///
/// A value without I/O. It is told of frames and of the time; `take` is called every 20 ms.
public struct PlayoutBuffer: Sendable {
  static let frame: Duration = .milliseconds(VoiceFormat.frameMilliseconds)
  /// Frames of which the lateness is remembered: 3 s.
  static let history = 150
  /// Of them, how many in a hundred may come too late.
  static let acceptedLossPercent = 3
  /// The least and the most that is waited for jitter; what comes later is a stall.
  static let targets: ClosedRange<Duration> = .milliseconds(20)...(.milliseconds(240))
  /// How far over the target the delay may be before a frame is left out.
  static let slack: Duration = .milliseconds(20)
  /// Frames played between two that are left out or filled in, when little is to be made up.
  static let gentlePause = 10
  /// The same when much is.
  static let hastyPause = 2
  /// Frames that may wait: a burst of 2 s.
  static let capacity = 100
  /// For how long all frames must be too late until the road is taken for a longer one.
  static let longerAfter: Duration = .milliseconds(500)
  /// What comes this soon behind another was held up together with it, and says nothing of its own.
  static let burstGap: Duration = .milliseconds(10)
  /// Ticks without anything after which there is no stream any more: 2 s.
  static let maximumIdle = 100

  private var waiting: [UInt32: [UInt8]] = [:]
  /// The next to be played; nil while there is no stream.
  private var next: UInt32?
  /// Nothing below this is played any more: what was played last, and one.
  private var floor: UInt32 = 0
  private var newest: UInt32?
  /// The time at which the frame of number 0 would have come on the quickest way.
  private var quickest: Instant?
  /// How late the last frames were, oldest first.
  private var lateness: [Duration] = []
  /// The least of all since `quickest` was looked at, and how many there were.
  private var least: Duration?
  private var sinceLook = 0
  private var lastArrival: Instant?
  /// When the first of the frames came that were all too late.
  private var lateSince: Instant?
  private var ticksSinceChange = 0
  private var idleTicks = 0
  private var counts = PlayoutCounts()

  public init() {}

  /// Counts since the last call; they begin anew.
  public mutating func takeCounts() -> PlayoutCounts {
    defer { counts = PlayoutCounts() }
    return counts
  }

  /// How long frames wait here, above the quickest way.
  public private(set) var delay: Duration = .zero

  /// The lateness that is waited for.
  public var target: Duration {
    guard !lateness.isEmpty else { return Self.targets.lowerBound }
    let sorted = lateness.sorted()
    let rank = (sorted.count * (100 - Self.acceptedLossPercent) - 1) / 100
    let jitter = sorted[min(rank, sorted.count - 1)]
    return min(max(jitter, Self.targets.lowerBound), Self.targets.upperBound)
  }

  // MARK: In

  /// Takes in a frame that is no replay.
  public mutating func put(_ sequence: UInt32, _ opus: [UInt8], at now: Instant) {
    guard opus.count > 1 else {
      // It stands for sound that the other side has none of; numbers and time part here.
      if newest.map({ sequence > $0 }) ?? true { reset() }
      return
    }
    note(sequence, at: now)
    guard sequence >= floor else {
      counts.late += 1
      return
    }
    if let next, sequence < next {
      counts.late += 1
      let since = lateSince ?? now
      lateSince = since
      guard now - since >= Self.longerAfter else { return }
      reset()
      note(sequence, at: now)
    }
    lateSince = nil
    newest = max(newest ?? sequence, sequence)
    waiting[sequence] = opus
    while waiting.count > Self.capacity, let oldest = waiting.keys.min() {
      waiting[oldest] = nil
      counts.late += 1
    }
  }

  private mutating func note(_ sequence: UInt32, at now: Instant) {
    let origin = now - Self.frame * Int(sequence)
    if let best = quickest, origin < best {
      // A quicker one: all others were later than they seemed.
      lateness = lateness.map { $0 + (best - origin) }.filter { $0 <= Self.targets.upperBound }
      quickest = origin
    }
    let best = quickest ?? origin
    quickest = best
    let late = origin - best
    least = min(least ?? late, late)
    let isBurst = lastArrival.map { now - $0 < Self.burstGap } ?? false
    lastArrival = now
    if !isBurst, late <= Self.targets.upperBound {
      lateness.append(late)
      if lateness.count > Self.history { lateness.removeFirst() }
    }
    lookForQuickest()
  }

  /// Lets the quickest way be that of the last 3 s: clocks drift, and roads change.
  private mutating func lookForQuickest() {
    sinceLook += 1
    guard sinceLook >= Self.history else { return }
    if let least, least > .zero, least <= Self.targets.upperBound {
      quickest = quickest.map { $0 + least }
      lateness = lateness.map { max(.zero, $0 - least) }
    }
    least = nil
    sinceLook = 0
  }

  private mutating func reset() {
    waiting = [:]
    newest = nil
    next = nil
    quickest = nil
    lateness = []
    least = nil
    sinceLook = 0
    lastArrival = nil
    lateSince = nil
    idleTicks = 0
    delay = .zero
  }

  // MARK: Out

  /// What is to be played for the 20 ms from now on.
  public mutating func take(at now: Instant) -> Playout {
    guard let quickest else { return .silence }
    let wanted = target + Self.frame
    guard let next else { return begin(quickest, wanted, at: now) }
    delay = now - quickest - Self.frame * Int(next)
    ticksSinceChange += 1
    let excess = delay - wanted
    let pause = excess > .milliseconds(60) ? Self.hastyPause : Self.gentlePause
    if excess > Self.slack, ticksSinceChange > pause, waiting[next &+ 1] != nil {
      waiting[next] = nil
      self.next = next &+ 1
      counts.leftOut += 1
      ticksSinceChange = 0
      return play(next &+ 1)
    }
    if excess < .zero - Self.slack / 2, ticksSinceChange > Self.gentlePause {
      counts.filledIn += 1
      ticksSinceChange = 0
      return .conceal
    }
    return play(next)
  }

  /// Waits until the first frame has waited as long as it should.
  private mutating func begin(
    _ quickest: Instant, _ wanted: Duration, at now: Instant
  ) -> Playout {
    // After a stall all that was said meanwhile may be here: what is too old is not played. The
    // newest is never too old: if even that seems so, it is the player's clock that is ahead.
    let newest = waiting.keys.max()
    let oldest = waiting.keys.filter {
      $0 != newest && now - quickest - Self.frame * Int($0) > wanted + Self.frame
    }
    for sequence in oldest { waiting[sequence] = nil }
    counts.late += oldest.count
    guard let first = waiting.keys.min(),
      now - quickest - Self.frame * Int(first) >= wanted
    else { return .silence }
    next = first
    delay = now - quickest - Self.frame * Int(first)
    return play(first)
  }

  private mutating func play(_ sequence: UInt32) -> Playout {
    next = sequence &+ 1
    counts.due += 1
    if let frame = waiting.removeValue(forKey: sequence) {
      idleTicks = 0
      floor = sequence &+ 1
      return .frame(frame)
    }
    counts.lost += 1
    idleTicks += 1
    if idleTicks > Self.maximumIdle {
      reset()
      return .silence
    }
    if let behind = waiting[sequence &+ 1] {
      counts.recovered += 1
      return .recover(from: behind)
    }
    return .conceal
  }
}

/// What became of the frames of a time.
public struct PlayoutCounts: Hashable, Sendable {
  /// Frames whose time to be played came.
  public var due = 0
  /// Of them, those that were not there, and of these those that the next one brought back.
  public var lost = 0
  public var recovered = 0
  /// Came after their time.
  public var late = 0
  /// Left out to be quicker, and filled in to be slower.
  public var leftOut = 0
  public var filledIn = 0

  public init() {}

  public var lossPercent: Int { due == 0 ? 0 : lost * 100 / due }
}
