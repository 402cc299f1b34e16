internal import Wire

/// What the transcript remembers of the call that is on.
struct CallLog: Sendable {
  /// The last state that was told, and when the call was connected.
  var current: CallStatus?
  var connectedAt: Timestamp?
  /// When the call that rings took the place of another that rang; nil where it did not.
  var tookOverAt: Timestamp?
  /// When a call stopped ringing without having been answered.
  var rangUntil: Timestamp?
  /// The last report on how it sounds.
  var quality: CallQuality?
  /// When the user was last told that it sounds bad.
  var complainedAt: Timestamp?

  /// Loss from which on the user is told, and how often at the most.
  static let badLossPercent = 10
  static let complaintInterval = Duration.seconds(30)
  /// How long a call must have rung in another's place before Enter can be meant for it.
  static let reactionTime = Duration.milliseconds(500)

  /// Whether the call that rings is another one than the user could have seen when they typed.
  func hasJustChanged(at now: Timestamp) -> Bool {
    guard let tookOverAt, current?.state == .ringing else { return false }
    return now.since(tookOverAt) < Self.reactionTime
  }
}

extension Transcript {
  mutating func entries(_ call: CallStatus, _ now: LocalTime) -> [TranscriptEntry] {
    let before = calls.current?.nonce == call.nonce ? calls.current : nil
    let label = people.label(call.peer)
    let connectedAt = before == nil ? nil : calls.connectedAt
    let hasRung = before?.state == .ringing
    calls.current = call
    let words: StyledText
    switch call.state {
    case .calling:
      if before?.state == .calling { return [] }
      words = StyledText("calling ") + label + StyledText("; /hangup gives up", .quiet)
    case .ringing:
      if before?.state == .ringing { return [] }
      if let until = calls.rangUntil, now.time.since(until) < CallLog.reactionTime {
        calls.tookOverAt = now.time
      }
      let standing =
        people[call.peer]?.isVerified == true
        ? StyledText(" (verified)", .good) : StyledText(" (unverified)", .warning)
      let remark = people.remark(on: call.peer).map { StyledText(" (\($0))", .warning) }
      words =
        label + standing + (remark ?? StyledText()) + StyledText(" is calling", .alarm)
        + StyledText(": /answer or /decline", .plain)
      return [TranscriptEntry(.warning, words, at: now)]
    case .connected:
      let road = call.road.map { $0 == .direct ? " directly" : " over the mesh" } ?? ""
      if before?.state == .connected {
        if before?.road == call.road { return [] }
        words =
          StyledText("the call with ", .quiet) + label + StyledText(" goes\(road) now", .quiet)
      } else {
        calls.connectedAt = now.time
        words =
          StyledText("in a call with ", .good) + label + StyledText(road, .good)
          + StyledText("; /hangup ends it, /mute silences you", .quiet)
      }
    case .ended(let reason):
      calls = CallLog()
      if hasRung { calls.rangUntil = now.time }
      let length = connectedAt.map { " after \(Self.length(now.time.since($0)))" } ?? ""
      words =
        StyledText("call with ") + label
        + StyledText(" ended\(length): \(Self.words(for: reason))")
        + StyledText(call.summary.map(Self.words(for:)) ?? "", .quiet)
    }
    return [TranscriptEntry(.notice, words, at: now)]
  }

  /// Silent while the call sounds well: the prompt shows the figures.
  mutating func entries(_ quality: CallQuality, _ now: LocalTime) -> [TranscriptEntry] {
    calls.quality = quality
    guard quality.lossPercent >= CallLog.badLossPercent else { return [] }
    if let told = calls.complainedAt, now.time.since(told) < CallLog.complaintInterval { return [] }
    calls.complainedAt = now.time
    let words = StyledText(
      "the line is bad: \(quality.lossPercent) % of the voice is lost", .warning)
    return [TranscriptEntry(.warning, words, at: now)]
  }

  private static func words(for reason: CallStatus.Reason) -> String {
    switch reason {
    case .hungUp: "you hung up"
    case .remoteEnded: "the other side hung up"
    case .declined: "declined"
    case .declinedHere: "you declined"
    case .missed: "missed"
    case .noAnswer: "nobody answered"
    case .lost: "nothing was heard for 30 s"
    case .failed: "it could not go on here"
    }
  }

  /// What of a call is worth a thought afterwards.
  private static func words(for summary: CallSummary) -> String {
    var parts: [String] = []
    switch summary.directPercent {
    case 100...: parts.append("all of it directly")
    case 1..<100: parts.append("\(summary.directPercent) % of it directly")
    default: parts.append("all of it over the mesh")
    }
    if let loss = summary.lossPercent { parts.append("\(loss) % of the voice lost") }
    if let buffer = summary.worstBufferMilliseconds {
      parts.append("held back \(buffer) ms at most")
    }
    return "; " + parts.joined(separator: ", ")
  }

  /// `3:07`, or `1:03:07`.
  static func length(_ duration: Duration) -> String {
    let seconds = max(0, duration.wholeMilliseconds / 1_000)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let minutes = seconds / 60
    return minutes < 60
      ? "\(minutes):\(two(seconds % 60))"
      : "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
  }
}
