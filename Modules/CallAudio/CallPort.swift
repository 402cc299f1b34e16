internal import AudioPipe
internal import Wire

/// Where a call's sound comes from and goes to: sound cards, or files.
@MainActor protocol CallPort: AnyObject {
  /// What it is called where people see it.
  var captureName: String { get }
  var playbackName: String { get }

  /// Begins to ask `call` for sound to play, and to give it what was heard.
  ///
  /// - Throws: a `Failure` when there cannot be any sound.
  func start(_ call: LiveCall) throws

  /// Ends it, and finishes what has to be.
  func stop()

  /// Adds what it alone knows.
  func describe(_ statistics: inout AudioStatistics)
}
