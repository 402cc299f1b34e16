internal import AudioPipe
internal import EchoNLMS
internal import Sound
internal import VoiceCodec
internal import Wire

/// A call's sound between devices and pipe: decodes what comes, cancels and codes what goes.
///
/// Without I/O: told of frames, samples and the time. Frames of samples have
/// `VoiceFormat.frameLength` of them; full scale is 1.
final class CallEngine {
  var isMuted = false
  private var playout = PlayoutBuffer()
  private var decoder: VoiceDecoder
  private var encoder: VoiceEncoder
  private var repair = RepairChoice()
  private let canceller: (any EchoCanceller)?
  private var echoMeter = EchoMeter()
  private var echoTotal = EchoMeter.Total()
  private var echoRemoved: Float?
  private var energyBefore: Float = 0
  private var inputMeter = LevelMeter()
  private var outputMeter = LevelMeter()
  private var cleaned = [Float](repeating: 0, count: VoiceFormat.frameLength)
  private var coded = [Int16](repeating: 0, count: VoiceFormat.frameLength)

  /// Nil for `canceller` when the system cancels echo, or nobody does.
  init(canceller: (any EchoCanceller)?) throws(VoiceCodecError) {
    decoder = try VoiceDecoder()
    encoder = try VoiceEncoder()
    self.canceller = canceller
  }

  /// Whether the canceller has given up.
  var hasCancellerGivenUp: Bool { canceller?.state.isOff ?? false }

  // MARK: From the other side

  func receive(_ sequence: UInt32, _ opus: [UInt8], at now: Instant) {
    playout.put(sequence, opus, at: now)
  }

  /// Puts the next 20 ms of the other side's voice into `samples`.
  func play(into samples: inout [Float], at now: Instant) {
    let sound: [Int16]? =
      switch playout.take(at: now) {
      case .frame(let opus): decoder.decode(opus)
      case .recover(let next): decoder.recover(from: next)
      case .conceal: decoder.conceal()
      case .silence: nil
      }
    for place in samples.indices {
      samples[place] = sound.map { place < $0.count ? Sample.float($0[place]) : 0 } ?? 0
    }
    outputMeter.note(samples.span)
  }

  /// Lets 20 ms pass in which nothing could be played.
  func skip(at now: Instant) { _ = playout.take(at: now) }

  // MARK: To the other side

  /// Codes what the microphone heard while the loudspeaker was given `farEnd`.
  func code(_ microphone: [Float], farEnd: [Float]) throws(VoiceCodecError) -> [UInt8] {
    if let canceller {
      do {
        var output = cleaned.mutableSpan
        canceller.cancel(farEnd: farEnd.span, microphone: microphone.span, output: &output)
      }
      holdDown(microphone)
      if let second = echoMeter.note(
        farEnd: farEnd.span, microphone: microphone.span, output: cleaned.span,
        state: canceller.state, total: &echoTotal)
      {
        echoRemoved = second.removed
      }
    } else {
      for place in cleaned.indices { cleaned[place] = microphone[place] }
    }
    inputMeter.note(cleaned.span)
    for place in coded.indices { coded[place] = isMuted ? 0 : Sample.int16(cleaned[place]) }
    return try encoder.encode(coded)
  }

  /// Lets nothing out that is much louder than what came in: a canceller that begins to ring must
  /// not be heard until it notices by itself.
  private func holdDown(_ microphone: [Float]) {
    let (heard, left) = (Self.energy(microphone), Self.energy(cleaned))
    // The canceller's output is up to a frame late.
    let allowed = Self.loudest * max(heard, energyBefore) + Self.inaudible
    energyBefore = heard
    guard !(left <= allowed) else { return }
    for place in cleaned.indices where place < microphone.count {
      cleaned[place] = microphone[place]
    }
  }

  /// How much louder than the microphone a canceller's frame may be: 6 dB.
  private static let loudest: Float = 4
  /// The energy of a frame of noise of -60 dB.
  private static let inaudible: Float = 480 * 1e-6

  private static func energy(_ samples: [Float]) -> Float {
    samples.reduce(0) { $0 + $1 * $1 }
  }

  /// Codes 20 ms of silence, in place of a microphone that gives nothing.
  func codeSilence() throws(VoiceCodecError) -> [UInt8] {
    for place in coded.indices { coded[place] = 0 }
    return try encoder.encode(coded)
  }

  // MARK: Figures

  /// What was since the last call; the shell adds what it alone knows.
  func takeStatistics() -> AudioStatistics {
    let counts = playout.takeCounts()
    noteLoss(due: counts.due, lost: counts.lost)
    var statistics = AudioStatistics()
    statistics.due = UInt32(clamping: counts.due)
    statistics.lost = UInt32(clamping: counts.lost)
    statistics.recovered = UInt32(clamping: counts.recovered)
    statistics.late = UInt32(clamping: counts.late)
    statistics.adjusted = UInt32(clamping: counts.leftOut + counts.filledIn)
    if counts.due > 0 {
      statistics.jitterMs = Self.inMilliseconds(playout.target)
      statistics.bufferMs = Self.inMilliseconds(max(.zero, playout.delay))
    }
    statistics.echoRemovedDB = echoRemoved.map(Double.init)
    if let state = canceller?.state {
      statistics.echoDelayMs = state.delay.map { milliseconds($0) }
    }
    statistics.inputDBFS = inputMeter.take()?.rms
    statistics.outputDBFS = outputMeter.take()?.rms
    statistics.isMuted = isMuted
    echoRemoved = nil
    return statistics
  }

  /// Lets our frames repair each other where the road is bad.
  func noteLoss(due: Int, lost: Int) {
    guard repair.note(due: due, lost: lost) else { return }
    // Otherwise they stay as they are, and loss is concealed.
    try? encoder.setRepair(repair.isOn)
  }

  private static func inMilliseconds(_ duration: Duration) -> Double {
    Double(duration.wholeNanoseconds) / 1e6
  }
}
