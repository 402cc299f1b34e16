internal import EventLoop
internal import Glibc

/// What a card's thread tells of its stream.
public struct CardReport: Hashable, Sendable {
  /// A place in a stream at a moment, in samples of 24 kHz.
  public struct Position: Hashable, Sendable {
    /// Samples that went from the ring to the card, or from the card to the ring, silence of the
    /// card's own making too.
    public var samples = 0
    /// Samples that wait inside the card.
    public var delay = 0.0
    /// Nanoseconds of the monotonic clock.
    public var at: Int64 = 0

    public init() {}
  }

  public var isRunning = false
  /// Why it does not run; nil before the first attempt has ended.
  public var error: CardError?
  /// Nil right after the stream began, or was mended.
  public var position: Position?
  /// How often the card ran out of sound, or of room.
  public var underruns = 0
  /// Samples of silence that were played because the ring was empty.
  public var filled = 0
  /// How often the stream began anew or left samples out; positions before that are of another.
  public var generation = 0
  /// Hz that the card has.
  public var rate = 0

  public init() {}
}

/// How long to wait before a device that does not work is tried again.
public struct RetryPause: Sendable {
  /// Milliseconds: the first pause, doubled each time, and the longest.
  static let first = 250
  static let longest = 4_000
  /// A device that worked for so long, in nanoseconds, is tried again soon.
  static let worked: Int64 = 5_000_000_000

  private var next = first

  public init() {}

  /// Milliseconds to wait after a stream that ran for `nanoseconds`, 0 if it could not be opened.
  public mutating func pause(afterRunning nanoseconds: Int64) -> Int {
    if nanoseconds >= Self.worked { next = Self.first }
    defer { next = min(next * 2, Self.longest) }
    return next
  }
}

/// Nanoseconds of the monotonic clock.
func monotonicNow() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
