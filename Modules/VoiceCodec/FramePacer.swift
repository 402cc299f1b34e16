public import Wire

/// Keeps frames that come from a sound device in step with time.
///
/// A device that stalls gives nothing, then much at once. Each frame stands for 20 ms: where none
/// comes, one has to be filled in, and what comes late for one that was filled in is one too many.
/// A device's clock that is a little off is followed, so that neither happens while it works.
///
/// A value without I/O, told the time.
public struct FramePacer: Sendable {
  static let frame: Duration = .milliseconds(VoiceFormat.frameMilliseconds)
  /// How far a device may be behind before frames are filled in; above it, it has stalled.
  let patience: Duration
  /// How far it may be ahead before a frame is one too many.
  let allowance: Duration
  /// The part of the distance to the clock that is forgotten with each frame, as its divisor: a
  /// clock that is 1,000 millionths off stands 4 ms away.
  static let forgetting = 200

  /// Up to when frames have been given.
  ///
  /// It moves evenly, while a device asks for frames or brings them in bursts.
  public private(set) var position: Instant

  /// A sound server may give what was recorded a tenth of a second at a time, which asks for more
  /// `patience` and `allowance` than a loudspeaker does.
  public init(
    start: Instant, patience: Duration = .milliseconds(60), allowance: Duration = .milliseconds(40)
  ) {
    position = start
    self.patience = patience
    self.allowance = allowance
  }

  /// Whether a frame that the device has now is wanted; takes note of it then.
  public mutating func offer(at now: Instant) -> Bool {
    guard position + Self.frame <= now + allowance else { return false }
    let next = position + Self.frame
    position = next + (now - next) / Self.forgetting
    return true
  }

  /// How many frames have to be filled in; takes note of them.
  ///
  /// After a time in which nobody asked, as in a suspended machine, what is missing is forgotten but
  /// for `mostAtOnce`.
  public mutating func missing(at now: Instant) -> Int {
    var count = 0
    while now - position >= patience {
      guard count < Self.mostAtOnce else {
        position = now
        break
      }
      position = position + Self.frame
      count += 1
    }
    return count
  }

  static let mostAtOnce = 25
}
