internal import AudioPipe
internal import CallSignal
internal import Chat
internal import Wire

/// What a call was like from its first word to its last, for the summary at its end.
struct CallTally: Sendable {
  private let began: Instant
  private var road = Road.mesh
  private var roadSince: Instant
  private var direct = Duration.zero
  private var due = 0
  private var lost = 0
  private var worstBufferMilliseconds: Int?

  /// A call that can be spoken in from now on.
  init(at now: Instant) {
    began = now
    roadSince = now
  }

  /// The road that carries from now on.
  mutating func carried(by road: Road, at now: Instant) {
    if self.road == .direct { direct += now - roadSince }
    self.road = road
    roadSince = now
  }

  mutating func note(_ statistics: AudioStatistics) {
    due += Int(statistics.due)
    lost += Int(min(statistics.lost, statistics.due))
    if let buffer = statistics.bufferMs {
      worstBufferMilliseconds = max(worstBufferMilliseconds ?? 0, Int(buffer.rounded()))
    }
  }

  /// The whole of it, at the end.
  func summary(at now: Instant) -> CallSummary {
    var ended = self
    ended.carried(by: road, at: now)
    let length = now - began
    let share = length > .zero ? ended.direct / length : 0
    return CallSummary(
      length: length, directPercent: Int((100 * share).rounded()),
      lossPercent: due == 0 ? nil : Int((100 * Double(lost) / Double(due)).rounded()),
      worstBufferMilliseconds: worstBufferMilliseconds)
  }
}

extension CallQuality {
  /// The last 2 s as the audio process measured them.
  init(_ statistics: AudioStatistics, with peer: Fingerprint, on road: Road) {
    func whole(_ value: Double?) -> Int { Int((value ?? 0).rounded()) }
    self.init(
      peer: peer, road: CallRoad(road),
      lossPercent: max(0, min(100, whole(statistics.lossPercent))),
      jitterMilliseconds: max(0, whole(statistics.jitterMs)),
      bufferMilliseconds: max(0, whole(statistics.bufferMs)),
      echoRemovedDB: whole(statistics.echoRemovedDB),
      cpuPercent: max(0, whole(statistics.processorPercent)))
  }
}
