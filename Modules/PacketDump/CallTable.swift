internal import Capture
internal import Wire

/// The voice frames of a capture, grouped into calls: both directions, both roads.
///
/// What belongs together is told by what a capture shows: frames to one destination on the mesh,
/// one flow on the direct road, the same frame seen on both, and voice going both ways on one link.
struct CallTable {
  /// Directions of calls that are kept; further ones are not counted.
  static let maximumVoices = 512
  /// Frames remembered to know them again on another road.
  static let rememberedFrames = 4_096
  /// Voice that comes back after so long, in nanoseconds, is another call's.
  static let longestPause: Int64 = 60_000_000_000

  /// Which way frames come: to somebody over the mesh, or over a flow.
  enum Road: Hashable {
    case mesh(Fingerprint, Direction?)
    case direct(link: Int, Direction?)
  }

  /// One direction of a call.
  struct Voice {
    /// Counted from 1; both directions of a call have one number.
    var call: Int
    /// Nil while it was on the direct road alone.
    var destination: Fingerprint?
    var links: [Int]
    let direction: Direction?
    var flow = VoiceFlow()
  }

  private struct FrameKey: Hashable {
    let sequence: UInt32
    let tag: UInt64
  }

  private(set) var voices: [Voice] = []
  private var roads: [Road: Int] = [:]
  private var recent: [FrameKey: Int] = [:]
  private var recentOrder: [FrameKey] = []
  private var oldest = 0
  private var calls = 0

  /// Notes a frame; on the mesh `destination` is whom it is for.
  mutating func note(_ frame: RawSpan, _ crossing: Crossing, to destination: Fingerprint?) {
    guard let sequence = frame.load(0, as: UInt32.self),
      let tag = frame.load(frame.byteCount - SealedPayload.tagLength, as: UInt64.self)
    else { return }
    let road =
      destination.map { Road.mesh($0, crossing.direction) }
      ?? .direct(link: crossing.link, crossing.direction)
    let key = FrameKey(sequence: sequence, tag: tag)
    guard let place = voice(on: road, key, sequence, crossing) else { return }
    remember(key, place)
    let isFiller = frame.byteCount == VoiceFlow.fillerLength
    voices[place].flow.note(sequence, isFiller: isFiller, at: crossing.time?.nanoseconds)
    if voices[place].destination == nil { voices[place].destination = destination }
    if !voices[place].links.contains(crossing.link), voices[place].links.count < 16 {
      voices[place].links.append(crossing.link)
    }
  }

  /// The voice that a frame belongs to; a new one where it fits none.
  private mutating func voice(
    on road: Road, _ key: FrameKey, _ sequence: UInt32, _ crossing: Crossing
  ) -> Int? {
    let time = crossing.time?.nanoseconds
    // The very same frame decides, then the road. Which way it goes does not: each link's name says
    // by itself which of its ends is the first.
    if let known = recent[key] {
      roads[road] = known
      return known
    }
    if let known = roads[road], voices[known].flow.goesOn(with: sequence, at: time) {
      return known
    }
    if let known = answer(on: road, sequence, at: time) {
      roads[road] = known
      return known
    }
    guard voices.count < Self.maximumVoices else { return nil }
    voices.append(
      Voice(call: call(for: crossing), links: [crossing.link], direction: crossing.direction))
    roads[road] = voices.count - 1
    return voices.count - 1
  }

  /// The voice that a new direct road goes on with: where its other direction is known to be one side
  /// of a call, the other side of that call, if its numbers fit.
  private func answer(on road: Road, _ sequence: UInt32, at time: Int64?) -> Int? {
    guard case .direct(let link, let direction?) = road,
      let other = roads[.direct(link: link, direction == .outbound ? .inbound : .outbound)]
    else { return nil }
    return voices.indices.first {
      $0 != other && voices[$0].call == voices[other].call
        && voices[$0].flow.goesOn(with: sequence, at: time)
    }
  }

  /// The number of the call whose other direction goes over the same link now; else a new one.
  private mutating func call(for crossing: Crossing) -> Int {
    let other = voices.last { voice in
      guard let direction = crossing.direction, let its = voice.direction, direction != its,
        voice.links.contains(crossing.link),
        voices.filter({ $0.call == voice.call }).count == 1
      else { return false }
      return voice.flow.isLive(at: crossing.time?.nanoseconds)
    }
    if let other { return other.call }
    calls += 1
    return calls
  }

  private mutating func remember(_ key: FrameKey, _ place: Int) {
    guard recent.updateValue(place, forKey: key) == nil else { return }
    if recentOrder.count < Self.rememberedFrames {
      recentOrder.append(key)
    } else {
      recent[recentOrder[oldest]] = nil
      recentOrder[oldest] = key
      oldest = (oldest + 1) % Self.rememberedFrames
    }
  }
}

/// Loss and jitter of the frames of one direction of a call.
struct VoiceFlow {
  /// Milliseconds between frames (PROTOCOL, section 7).
  static let interval = 20.0
  /// A node without an audio process seals one byte of Opus every so often.
  static let fillerLength = VoiceFrame.overhead + 1
  static let fillerInterval = 200.0
  /// As the replay window has it: what is further behind is late.
  static let window: UInt32 = 64

  private(set) var frames = 0
  /// Frames that came a second time, by the other road or another link.
  private(set) var copies = 0
  private(set) var firstTime: Int64?
  private(set) var lastTime: Int64?
  private var lowest: UInt32 = 0
  private var highest: UInt32 = 0
  /// Which of the last 64 came, the highest in bit 0.
  private var seen: UInt64 = 0
  private var latest: (sequence: UInt32, isFiller: Bool, time: Int64)?
  /// As RFC 3550 reckons it, in milliseconds.
  private(set) var jitter = 0.0

  /// Frames between the first and the last that never came.
  var lost: Int { frames == 0 ? 0 : max(0, Int(highest) - Int(lowest) + 1 - frames) }

  var lossPercent: Double {
    frames == 0 ? 0 : 100 * Double(lost) / Double(lost + frames)
  }

  var milliseconds: Int64? {
    guard let firstTime, let lastTime else { return nil }
    let (span, overflow) = lastTime.subtractingReportingOverflow(firstTime)
    return overflow ? nil : span / 1_000_000
  }

  mutating func note(_ sequence: UInt32, isFiller: Bool = false, at time: Int64?) {
    if frames == 0 {
      (lowest, highest, seen, frames) = (sequence, sequence, 1, 1)
    } else if sequence > highest {
      let step = sequence - highest
      seen = step < Self.window ? seen << UInt64(step) | 1 : 1
      highest = sequence
      frames += 1
    } else {
      let behind = highest - sequence
      guard behind < Self.window, seen >> UInt64(behind) & 1 == 0 else {
        copies += 1
        return
      }
      seen |= 1 << UInt64(behind)
      lowest = min(lowest, sequence)
      frames += 1
    }
    guard let time else { return }
    firstTime = min(firstTime ?? time, time)
    lastTime = max(lastTime ?? time, time)
    if let latest, latest.isFiller == isFiller {
      let interval = isFiller ? Self.fillerInterval : Self.interval
      let apart = Double(time) - Double(latest.time)
      let steps = Double(sequence) - Double(latest.sequence)
      jitter += (abs(apart / 1e6 - steps * interval) - jitter) / 16
    }
    latest = (sequence, isFiller, time)
  }

  /// Whether a frame of this number can be the same call's.
  func goesOn(with sequence: UInt32, at time: Int64?) -> Bool {
    isLive(at: time) && Int(sequence) > Int(highest) - 4 * Int(Self.window)
  }

  func isLive(at time: Int64?) -> Bool {
    guard let time, let lastTime else { return true }
    let (pause, overflow) = time.subtractingReportingOverflow(lastTime)
    return !overflow && pause < CallTable.longestPause
  }
}
