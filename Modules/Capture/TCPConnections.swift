internal import Wire

/// The two ends of a connection or flow, whoever speaks.
struct EndpointPair: Hashable {
  let lower: Endpoint
  let higher: Endpoint

  init(_ a: Endpoint, _ b: Endpoint) {
    lower = min(a, b)
    higher = max(a, b)
  }
}

/// One direction of a TCP connection: its segments in order, through a chunker.
private final class TCPDirection {
  private(set) var order = TCPOrder()
  private let stream: LinkStream

  init(_ stream: LinkStream) { self.stream = stream }

  func begin(at sequence: UInt32) {
    if order.next == nil { order.begin(at: sequence) }
  }

  func take(_ data: RawSpan, at sequence: UInt32, _ moment: Moment) {
    guard !stream.isForeign else { return }
    let stream = stream
    order.take(data, at: sequence, now: moment.nanoseconds) {
      stream.append($0, moment)
    } gap: {
      stream.gap($0, moment)
    }
  }

  /// The other end has everything before `sequence`.
  func acknowledge(_ sequence: UInt32, _ moment: Moment) {
    guard !stream.isForeign else { return }
    let stream = stream
    order.acknowledge(sequence, now: moment.nanoseconds) {
      stream.append($0, moment)
    } gap: {
      stream.gap($0, moment)
    }
  }

  /// It ends here: what waits is read, and what was begun is told.
  func finish(_ moment: Moment) {
    let stream = stream
    order.finish {
      stream.append($0, moment)
    } gap: {
      stream.gap($0, moment)
    }
    stream.finish(moment)
  }
}

/// A TCP connection as a capture shows it.
final class TCPConnection: Remembered {
  var lastRecord: Int
  let firstRecord: Int
  /// The end that the link's name names first: who dialled, or spoke first in the capture.
  private let first: Endpoint
  private let out: TCPDirection
  private let back: TCPDirection
  /// The number of the dialler's SYN, to know it again.
  private var dialled: UInt32?

  init(_ first: Endpoint, _ second: Endpoint, _ moment: Moment, _ findings: Findings) {
    self.first = first
    firstRecord = moment.record
    lastRecord = moment.record
    let link = CapturedLink(isCertain: false) { "\(first.text)-\(second.text)" }
    out = TCPDirection(LinkStream(.reliable, link, .outbound, findings))
    back = TCPDirection(LinkStream(.reliable, link, .inbound, findings))
  }

  /// Whether this segment dials anew with the ports of a connection that was before.
  func isAnother(_ segment: TCPSegment) -> Bool {
    segment.isSYN && segment.acknowledgment == nil && segment.sequence != dialled
      && (out.order.next != nil || back.order.next != nil)
  }

  func take(_ segment: TCPSegment, _ bytes: RawSpan, from source: Endpoint, _ moment: Moment) {
    if source == first {
      take(segment, bytes, out, back, moment)
    } else {
      take(segment, bytes, back, out, moment)
    }
  }

  private func take(
    _ segment: TCPSegment, _ bytes: RawSpan, _ this: TCPDirection, _ other: TCPDirection,
    _ moment: Moment
  ) {
    var sequence = segment.sequence
    if segment.isSYN {
      if segment.acknowledgment == nil { dialled = sequence }
      sequence &+= 1
      this.begin(at: sequence)
    }
    if let number = segment.acknowledgment { other.acknowledge(number, moment) }
    this.take(bytes.extracting(segment.data), at: sequence, moment)
  }

  func finish(_ moment: Moment) {
    out.finish(moment)
    back.finish(moment)
  }
}

/// The TCP connections of a capture, the least used forgotten when there are too many.
struct TCPConnections {
  static let capacity = 1_024

  private var table = RecentTable<EndpointPair, TCPConnection>(capacity: capacity)
  private let findings: Findings

  init(_ findings: Findings) { self.findings = findings }

  mutating func take(_ packet: InternetPacket, _ bytes: RawSpan, _ moment: Moment) {
    guard let segment = TCPSegment(bytes, in: packet) else { return }
    let source = Endpoint(address: packet.source, port: segment.source)
    let destination = Endpoint(address: packet.destination, port: segment.destination)
    let pair = EndpointPair(source, destination)
    var known = table.use(pair, by: moment.record)
    if let old = known, old.isAnother(segment) {
      old.finish(moment)
      table.remove(pair)
      known = nil
    }
    let connection: TCPConnection
    if let known {
      connection = known
    } else {
      // An answer to a SYN that the capture missed still says who dialled.
      let isAnswer = segment.isSYN && segment.acknowledgment != nil
      connection = TCPConnection(
        isAnswer ? destination : source, isAnswer ? source : destination, moment, findings)
      for old in table.insert(connection, for: pair) { old.finish(moment) }
    }
    connection.take(segment, bytes, from: source, moment)
    // After FIN more may come, again or late; after RST nothing does.
    if segment.isRST {
      connection.finish(moment)
      table.remove(pair)
    }
  }

  /// The capture is over.
  mutating func finish(_ moment: Moment) {
    for connection in table.all { connection.finish(moment) }
  }
}
