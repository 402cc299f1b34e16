internal import AudioPipe
internal import CommandLine
internal import EventLoop
internal import Sound
internal import VoiceCodec
internal import Wire

/// Files in place of a sound card, at the speed of one.
///
/// After the end of the file that is heard there is silence. The file that is played into holds
/// everything up to the last second, also when the process is killed.
@MainActor final class FilePort: CallPort {
  /// Frames that are made up for at once when the process was held up; what is more is left out.
  static let mostAtOnce = 100

  let captureName: String
  let playbackName: String
  private var input: MonoFile?
  private var output: WAVWriter?
  private var ticker: Ticker?
  private var far = [Float](repeating: 0, count: VoiceFormat.frameLength)
  private var heard = [Float](repeating: 0, count: VoiceFormat.frameLength)
  private var leftOut = 0
  /// The time of the tick that is worked on, which may be late.
  private var moment = Instant.zero

  /// Opens both files, the one that is read first; nil for silence, and for playing into nothing.
  ///
  /// - Throws: a `Failure`; the file that is written to stays as it was then.
  init(input: String?, output: String?) throws {
    captureName = input ?? "silence"
    playbackName = output ?? "nothing"
    if let input {
      self.input = try naming(input) { () throws(SoundError) in
        try MonoFile(path: input, sampleRate: VoiceFormat.sampleRateHz)
      }
    }
    if let output {
      self.output = try naming(output) { () throws(SoundError) in
        try WAVWriter(path: output, sampleRate: VoiceFormat.sampleRateHz, isLive: true)
      }
    }
  }

  func start(_ call: LiveCall) throws {
    moment = LiveCall.now
    let period = Duration.milliseconds(VoiceFormat.frameMilliseconds)
    ticker = Ticker(every: period) { [weak self, weak call] count in
      guard let self, let call else { return }
      let began = LiveCall.now
      for _ in 0..<min(count, Self.mostAtOnce) where ticker != nil {
        moment = moment + period
        tick(call)
      }
      // Not the time after all that work: the ticks that came meanwhile are still to be told.
      if count > Self.mostAtOnce { moment = began }
      leftOut += max(0, count - Self.mostAtOnce)
    }
    guard ticker != nil else { throw Failure("no descriptor left") }
  }

  private func tick(_ call: LiveCall) {
    call.play(into: &far, at: moment)
    write(call)
    read(call)
    call.send(heard, farEnd: far)
  }

  private func write(_ call: LiveCall) {
    guard let output else { return }
    let played = far
    do throws(SoundError) { try output.write(played.span) } catch {
      self.output = nil
      call.tell(.fileFailed, "\(quoted(playbackName)): \(error.reason)")
    }
  }

  private func read(_ call: LiveCall) {
    var count = 0
    if let input {
      do throws(SoundError) {
        var samples = heard.mutableSpan
        count = try input.read(into: &samples)
      } catch {
        call.tell(.fileFailed, "\(quoted(captureName)): \(error.reason)")
      }
      if count < heard.count { self.input = nil }
    }
    for place in min(count, heard.count)..<heard.count { heard[place] = 0 }
  }

  func stop() {
    ticker?.stop()
    ticker = nil
    // What cannot be written now has been told of, or is the last second.
    try? output?.finish()
    output = nil
  }

  func describe(_ statistics: inout AudioStatistics) {
    statistics.underruns = UInt32(clamping: leftOut)
    leftOut = 0
    statistics.playbackMs = 0
  }
}
