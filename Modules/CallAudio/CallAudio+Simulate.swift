internal import AudioPipe
internal import CommandLine
internal import Sound
internal import VoiceCodec
internal import Wire

extension CallAudio {
  /// `simulate`: what a call over a bad road would sound like.
  func simulate() throws {
    let (input, output) = (
      try arguments.required(Self.input), try arguments.required(Self.output)
    )
    try refuseSameFile([input, output])
    let file = try openSound(input)
    let writer = try naming(output) { () throws(SoundError) in
      try WAVWriter(path: output, sampleRate: VoiceFormat.sampleRateHz)
    }
    let seed = arguments[Self.seed, default: 1]
    var road = SimulatedRoad(
      lossPercent: arguments[Self.loss, default: 0], jitterMs: arguments[Self.jitter, default: 0],
      seed: seed)
    let (speaker, hearer) = (try CallEngine(canceller: nil), try CallEngine(canceller: nil))
    var report = SimulateReport()
    var (spoken, heard) = (Self.silentFrame, Self.silentFrame)
    var now = Instant.zero
    // What is still on its way at the end of the file is heard, too.
    var left = Self.tailFrames
    while left > 0 {
      let count = try naming(input) { () throws(SoundError) in
        var room = spoken.mutableSpan
        return try file.read(into: &room)
      }
      for place in count..<spoken.count { spoken[place] = 0 }
      if count == 0 { left -= 1 }
      road.send(try speaker.code(spoken, farEnd: Self.silentFrame), at: now)
      now = now + .milliseconds(VoiceFormat.frameMilliseconds)
      for frame in road.arrived(by: now) {
        hearer.receive(frame.sequence, frame.opus, at: frame.at)
      }
      hearer.play(into: &heard, at: now)
      let played = heard
      try naming(output) { () throws(SoundError) in try writer.write(played.span) }
      let statistics = hearer.takeStatistics()
      report.note(statistics)
      // The way back would be as bad.
      speaker.noteLoss(due: Int(statistics.due), lost: Int(statistics.lost))
    }
    try naming(output) { () throws(SoundError) in try writer.finish() }
    if arguments[Common.json] {
      try console.print(report.object(sent: road.sent, seed: seed))
    } else {
      try console.print(report.line)
    }
  }

  /// Half a second.
  private static let tailFrames = 25
  private static let silentFrame = [Float](repeating: 0, count: VoiceFormat.frameLength)

  func openSound(_ path: String) throws(Failure) -> MonoFile {
    try naming(path) { () throws(SoundError) in
      try MonoFile(path: path, sampleRate: VoiceFormat.sampleRateHz)
    }
  }
}

/// A road that loses frames and holds others up, the same with the same seed.
struct SimulatedRoad {
  struct Frame {
    let at: Instant
    let sequence: UInt32
    let opus: [UInt8]
  }

  private let loss: Double
  private let jitterMs: Double
  private var random: SplitMix64
  private var onTheWay: [Frame] = []
  private(set) var sent: UInt32 = 0

  init(lossPercent: Double, jitterMs: Double, seed: UInt64) {
    loss = lossPercent / 100
    self.jitterMs = jitterMs
    random = SplitMix64(seed: seed)
  }

  mutating func send(_ opus: [UInt8], at now: Instant) {
    let sequence = sent
    sent &+= 1
    // Both are drawn for each, so that other figures do not change which are lost.
    let isLost = Double.random(in: 0..<1, using: &random) < loss
    let delay = Double.random(in: 0...1, using: &random) * jitterMs
    guard !isLost else { return }
    onTheWay.append(
      Frame(at: now + .nanoseconds(Int64(delay * 1e6)), sequence: sequence, opus: opus))
  }

  /// The frames that have come by now, in the order of their coming.
  mutating func arrived(by now: Instant) -> [Frame] {
    let here = onTheWay.filter { $0.at <= now }.sorted { $0.at < $1.at }
    onTheWay.removeAll { $0.at <= now }
    return here
  }
}
