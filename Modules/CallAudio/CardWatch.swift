internal import AudioPipe
internal import SoundCard
internal import Wire

/// When the user is told that a card is gone or back.
///
/// What mends itself in a second is not worth a word. A value without I/O, told the time.
struct CardWatch {
  /// How long a card may be away before it is told of.
  static let grace: Duration = .seconds(1)

  private let direction: CardDirection
  /// Since when it has been away; nil while it works.
  private var awaySince: Instant?
  private var hasTold = false

  init(_ direction: CardDirection, start: Instant) {
    self.direction = direction
    awaySince = start
  }

  /// What to tell, if anything.
  mutating func note(isRunning: Bool, at now: Instant) -> AudioNotice? {
    if isRunning {
      awaySince = nil
      guard hasTold else { return nil }
      hasTold = false
      return direction == .capture ? .captureBack : .playbackBack
    }
    let since = awaySince ?? now
    awaySince = since
    guard !hasTold, now - since >= Self.grace else { return nil }
    hasTold = true
    return direction == .capture ? .captureGone : .playbackGone
  }
}
