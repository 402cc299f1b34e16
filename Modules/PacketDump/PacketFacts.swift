internal import Capture
internal import CommandLine
internal import Wire

/// What is known about one packet before its payload is looked at.
struct PacketFacts {
  let crossing: Crossing
  let header: PacketHeader
  /// What keeps its payload from being read.
  let refusal: PacketRefusal?
  let sighting: CopyTable.Sighting

  var isCopy: Bool { sighting.copy > 1 }

  /// How many hops the packet made since it was first seen here.
  var hopsSinceFirst: Int {
    max(0, Int(sighting.firstHopLimit) - Int(header.hopLimit))
  }

  /// From when the origin says it sent the packet to when it was captured, in milliseconds.
  ///
  /// Negative where the origin's clock is ahead; nil without a capture time and for times that
  /// cannot be.
  var ageMilliseconds: Int64? {
    guard let captured = crossing.time,
      let sent = Int64(exactly: header.time.milliseconds)
    else { return nil }
    let (age, overflow) = (captured.nanoseconds / 1_000_000).subtractingReportingOverflow(sent)
    return overflow ? nil : age
  }

  /// Why nodes take no notice of it, by its header and the time it was captured at.
  ///
  /// Whether a hello's signature holds is another matter, and told as a remark.
  var refused: String? { refusal?.sentence ?? brokenRule }

  /// The router's rules (PROTOCOL, sections 2 and 3), for a packet that crossed a link now.
  private var brokenRule: String? {
    if header.hopLimit > header.kind.maximumHopLimit {
      return "a hop limit over its kind's \(header.kind.maximumHopLimit)"
    }
    switch header.kind {
    case .hello where header.destination != .everyone: return "a hello to one person"
    case .voice where header.destination == .everyone: return "voice to everyone"
    default: break
    }
    guard let captured = crossing.time else { return nil }
    guard let sent = Int64(exactly: header.time.milliseconds) else { return "from the future" }
    let (age, overflow) = (captured.nanoseconds / 1_000_000).subtractingReportingOverflow(sent)
    if overflow || age < -Self.maximumLead { return "from the future" }
    return age > Self.maximumAge ? "too old" : nil
  }

  /// The router's limits, in milliseconds; written out, as they are looked at for every packet.
  static let maximumAge: Int64 = 6 * 3_600_000
  static let maximumLead: Int64 = 15 * 60_000
}

extension PacketKind {
  /// As the program writes and reads it.
  var word: String {
    switch self {
    case .hello: "hello"
    case .sealed: "sealed"
    case .voice: "voice"
    case .unknown(let value): "kind-\(value)"
    }
  }
}

extension PacketRefusal {
  /// Why nodes cannot read the packet.
  var sentence: String {
    switch self {
    case .otherVersion: "another version"
    case .unknownKind: "unknown kind"
    case .badLength: "a length its kind does not have"
    }
  }
}

extension Loss {
  /// One line, lower case, no full stop.
  var sentence: String {
    switch self {
    case .noPacket(let bytes): "a record of \(bytes) bytes that is no packet"
    case .cutRecord(let captured, let original):
      "a record cut to \(captured) of \(original) bytes when it was captured"
    case .skipped(let bytes, 0): "\(counted(bytes)) no packet"
    case .skipped(let bytes, let failures):
      "\(counted(bytes)) no packet, \(failures) bad CRC\(failures == 1 ? "" : "s")"
    case .gap(0): "bytes that the capture lacks or has too late"
    case .gap(let bytes):
      "\(bytes) byte\(bytes == 1 ? "" : "s") that the capture lacks or has too late"
    case .fragments: "parts of IP packets, which are not put together"
    case .misbehaved(.badChecksums): "so many bad CRCs that a node closes the link"
    case .misbehaved(.garbage): "so many bytes without a packet that a node closes the link"
    case .unfinished(let bytes): "\(bytes) bytes of a packet whose end is missing"
    case .unreadLinkType(let type): "records of link layer \(type), which are not read"
    }
  }

  private func counted(_ bytes: Int) -> String {
    bytes == 1 ? "1 byte that is" : "\(bytes) bytes that are"
  }

  /// A word for it that does not change.
  var code: String {
    switch self {
    case .noPacket: "no-packet"
    case .cutRecord: "cut-record"
    case .skipped: "skipped"
    case .misbehaved(.badChecksums): "bad-checksums"
    case .misbehaved(.garbage): "garbage"
    case .unfinished: "unfinished"
    case .unreadLinkType: "unread-link-layer"
    case .gap: "gap"
    case .fragments: "fragments"
    }
  }

  /// How many bytes of packets are lost by it, as far as that is known.
  var bytes: Int {
    switch self {
    case .noPacket(let bytes), .skipped(let bytes, _), .unfinished(let bytes), .gap(let bytes):
      bytes
    case .cutRecord(let captured, _): captured
    case .misbehaved, .unreadLinkType, .fragments: 0
    }
  }
}
