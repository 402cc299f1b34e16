internal import AudioPipe
internal import CommandLine
internal import EventLoop
internal import Sound
internal import SoundCard
internal import VoiceCodec
internal import Wire

/// Sound cards: each direction on a thread of its own, the codec here between their rings.
///
/// The loudspeaker's clock asks for what is played and the microphone's brings what is said. Where
/// one of them stands still, the call goes on by the system's clock: silence goes out, and what
/// comes in is let by.
@MainActor final class CardPort: CallPort {
  /// Samples in the playing ring under which a frame is put in: half a frame.
  static let lowWater = VoiceFormat.frameLength / 2
  /// Samples in the recording ring over which it is emptied down to a frame: a stall is over.
  static let backlog = 15 * VoiceFormat.frameLength
  /// Played samples that are remembered: 2 s.
  static let historyLength = 48_000

  let captureName: String
  let playbackName: String
  private let device: String
  private var bell: Doorbell?
  private var ticker: Ticker?
  private var playback: CardThread?
  private var capture: CardThread?
  private weak var call: LiveCall?

  private var playPacer: FramePacer
  private var sendPacer: FramePacer
  private var watches: (capture: CardWatch, playback: CardWatch)
  private var alignment = EchoAlignment()
  private var history = SampleHistory(capacity: historyLength)
  private var far = [Float](repeating: 0, count: VoiceFormat.frameLength)
  private var heard = [Float](repeating: 0, count: VoiceFormat.frameLength)
  private var reference = [Float](repeating: 0, count: VoiceFormat.frameLength)
  /// Samples taken from the recording ring.
  private var taken = 0
  /// Silence that the playing thread has made up, as far as the history knows it.
  private var filled = 0
  private var underruns = 0

  init(device: String) {
    self.device = device
    captureName = device
    playbackName = device
    let now = LiveCall.now
    playPacer = FramePacer(start: now)
    sendPacer = FramePacer(
      start: now, patience: .milliseconds(140), allowance: .milliseconds(100))
    watches = (CardWatch(.capture, start: now), CardWatch(.playback, start: now))
  }

  func start(_ call: LiveCall) throws {
    self.call = call
    bell = Doorbell { [weak self] in self?.serve() }
    ticker = Ticker(every: .milliseconds(VoiceFormat.frameMilliseconds)) { [weak self] _ in
      self?.tick()
    }
    guard let bell, ticker != nil else { throw Failure("no descriptor left") }
    let threads = (
      CardThread(device, .playback, button: bell.button),
      CardThread(device, .capture, button: bell.button)
    )
    guard threads.0.start(), threads.1.start() else { throw Failure("no thread left") }
    (playback, capture) = threads
  }

  func stop() {
    ticker?.stop()
    bell?.close()
    playback?.stop()
    capture?.stop()
    (ticker, bell, playback, capture) = (nil, nil, nil, nil)
  }

  func describe(_ statistics: inout AudioStatistics) {
    guard let playing = playback?.report, let recording = capture?.report else { return }
    let all = playing.underruns + recording.underruns
    statistics.underruns = UInt32(clamping: all - underruns)
    underruns = all
    if let position = playing.position {
      statistics.playbackMs = position.delay / 24 + Double(playback?.ring.count ?? 0) / 24
    }
    if playing.position != nil, recording.position != nil {
      statistics.driftPpm = alignment.driftPpm
    }
  }

  // MARK: Work

  private func serve() {
    feed()
    collect()
  }

  /// Puts frames into the playing ring as it empties.
  private func feed() {
    guard let playback, let call else { return }
    for _ in 0..<3 where playback.ring.count < Self.lowWater {
      let report = playback.report
      guard report.isRunning else { return }
      history.appendSilence(report.filled - filled)
      filled = max(filled, report.filled)
      if playPacer.offer(at: LiveCall.now) {
        call.play(into: &far, at: playPacer.position)
      } else {
        for place in far.indices { far[place] = 0 }
      }
      let frame = far
      _ = playback.ring.push(frame.span)
      history.append(frame.span)
    }
  }

  /// Sends what the recording ring holds, frame by frame.
  private func collect() {
    guard let capture, let call else { return }
    if capture.ring.count > Self.backlog {
      taken += capture.ring.discard(capture.ring.count - VoiceFormat.frameLength)
    }
    while self.capture != nil, capture.ring.count >= VoiceFormat.frameLength {
      do {
        var room = heard.mutableSpan
        taken += capture.ring.pop(into: &room)
      }
      guard sendPacer.offer(at: LiveCall.now) else { continue }
      let start = taken - VoiceFormat.frameLength
      history.copy(from: (alignment.offset ?? .min / 2) + start, into: &reference)
      call.send(heard, farEnd: reference)
    }
  }

  /// Every 20 ms: stands in for cards that stand still, and watches both.
  private func tick() {
    guard let playback, let capture, let call else { return }
    let now = LiveCall.now
    serve()
    for _ in 0..<playPacer.missing(at: now) { call.skip(at: playPacer.position) }
    for _ in 0..<sendPacer.missing(at: now) { call.sendSilence() }
    guard self.capture != nil else { return }
    let (playing, recording) = (playback.report, capture.report)
    alignment.note(playback: playing, capture: recording, now: now.nanoseconds)
    capture.correct(ppm: alignment.driftPpm)
    tell(watches.playback.note(isRunning: playing.isRunning, at: now), playing, call)
    tell(watches.capture.note(isRunning: recording.isRunning, at: now), recording, call)
  }

  private func tell(_ notice: AudioNotice?, _ report: CardReport, _ call: LiveCall) {
    guard let notice else { return }
    call.tell(notice, report.error.map { "\($0)" } ?? "\(quoted(device)) works")
  }
}
