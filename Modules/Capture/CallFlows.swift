internal import Wire

/// One direction of a UDP flow, on its way to being known for a call's direct road.
///
/// A frame has no magic. What tells it is how it counts: sequence numbers that rise by one or few,
/// at about the pace of speech, below what a call of years would reach.
struct FrameRecognition {
  /// Frames in a row that make a flow a call's.
  static let needed = 4
  /// From one to the next; more may have been lost than this of no call.
  static let maximumStep: UInt32 = 16
  /// RTP and QUIC begin above it.
  static let maximumSequence: UInt32 = 1 << 30
  /// Nanoseconds for each step: a frame is 20 ms, and some come in a bunch.
  static let pace: ClosedRange<Int64> = 4_000_000...2_000_000_000

  struct Held {
    let moment: Moment
    let bytes: [UInt8]
    let sequence: UInt32
  }

  private(set) var isCall = false
  private var held: [Held] = []

  /// Takes a datagram of a flow that is not known yet.
  ///
  /// - Returns: the frames that made it known, this one the last; none while it is not.
  mutating func take(_ bytes: RawSpan, _ moment: Moment) -> [Held] {
    guard let frame = CallFrame(bytes), frame.sequence < Self.maximumSequence else {
      held = []
      return []
    }
    if let last = held.last {
      let (step, overflow) = frame.sequence.subtractingReportingOverflow(last.sequence)
      if overflow || !(1...Self.maximumStep).contains(step) { held = [] }
    }
    held.append(
      Held(
        moment: moment, bytes: bytes.withUnsafeBytes { Array($0) }, sequence: frame.sequence))
    guard held.count >= Self.needed, let first = held.first else { return [] }
    let span = moment.nanoseconds.subtractingReportingOverflow(first.moment.nanoseconds)
    let steps = Int64(frame.sequence &- first.sequence)
    guard !span.overflow, steps > 0, Self.pace.contains(span.partialValue / steps) else {
      held.removeFirst()
      return []
    }
    isCall = true
    defer { held = [] }
    return held
  }
}

/// A UDP flow between two ends.
final class CallFlow: Remembered {
  var lastRecord: Int
  let firstRecord: Int
  private let first: Endpoint
  private let link: CapturedLink
  private let findings: Findings
  private var directions = (out: FrameRecognition(), back: FrameRecognition())

  init(_ first: Endpoint, _ second: Endpoint, _ moment: Moment, _ findings: Findings) {
    self.first = first
    self.findings = findings
    firstRecord = moment.record
    lastRecord = moment.record
    link = CapturedLink(isCertain: false) { "\(first.text)-\(second.text)" }
  }

  func take(_ bytes: RawSpan, from source: Endpoint, _ moment: Moment) {
    if source == first {
      take(bytes, &directions.out, .outbound, moment)
    } else {
      take(bytes, &directions.back, .inbound, moment)
    }
  }

  private func take(
    _ bytes: RawSpan, _ recognition: inout FrameRecognition, _ direction: Direction,
    _ moment: Moment
  ) {
    if recognition.isCall {
      findings.frame(bytes, on: link, direction, moment)
    } else {
      for held in recognition.take(bytes, moment) {
        findings.frame(held.bytes.span.bytes, on: link, direction, held.moment)
      }
    }
  }
}

/// The UDP flows of a capture, the least used forgotten when there are too many.
struct CallFlows {
  static let capacity = 1_024
  private static let headerLength = 8

  private var table = RecentTable<EndpointPair, CallFlow>(capacity: capacity)
  private let findings: Findings

  init(_ findings: Findings) { self.findings = findings }

  /// Takes a datagram (RFC 768).
  mutating func take(_ packet: InternetPacket, _ bytes: RawSpan, _ moment: Moment) {
    let start = packet.payload.lowerBound
    guard packet.payload.count >= Self.headerLength,
      let sourcePort = bytes.load(start, as: UInt16.self),
      let destinationPort = bytes.load(start + 2, as: UInt16.self),
      let length = bytes.load(start + 4, as: UInt16.self), Int(length) >= Self.headerLength,
      packet.originalLength >= Int(length), packet.payload.count >= Int(length)
    else { return }
    let source = Endpoint(address: packet.source, port: sourcePort)
    let destination = Endpoint(address: packet.destination, port: destinationPort)
    let pair = EndpointPair(source, destination)
    let flow: CallFlow
    if let known = table.use(pair, by: moment.record) {
      flow = known
    } else {
      flow = CallFlow(source, destination, moment, findings)
      _ = table.insert(flow, for: pair)
    }
    flow.take(
      bytes.extracting(start + Self.headerLength..<start + Int(length)), from: source, moment)
  }
}
