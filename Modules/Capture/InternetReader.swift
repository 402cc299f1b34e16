/// Records that carry IP: TCP connections and call frames in them.
struct InternetReader {
  /// Pairs of addresses whose fragments were told.
  static let maximumPairs = 1_024

  private struct Pair: Hashable {
    let source: InternetAddress
    let destination: InternetAddress
  }

  private var connections: TCPConnections
  private var flows: CallFlows
  private var fragmented: Set<Pair> = []
  private let findings: Findings

  init(_ findings: Findings) {
    self.findings = findings
    connections = TCPConnections(findings)
    flows = CallFlows(findings)
  }

  mutating func take(_ type: LinkType, _ bytes: RawSpan, _ moment: Moment) {
    guard let offset = LinkLayer.internetOffset(in: bytes, type),
      let packet = InternetPacket(bytes, at: offset)
    else { return }
    if packet.isFragment { return noteFragment(packet, moment) }
    switch packet.protocolNumber {
    case InternetPacket.tcp: connections.take(packet, bytes, moment)
    case InternetPacket.udp: flows.take(packet, bytes, moment)
    default: break
    }
  }

  mutating func finish(_ moment: Moment) { connections.finish(moment) }

  private mutating func noteFragment(_ packet: InternetPacket, _ moment: Moment) {
    guard [InternetPacket.tcp, InternetPacket.udp].contains(packet.protocolNumber),
      fragmented.count < Self.maximumPairs,
      fragmented.insert(Pair(source: packet.source, destination: packet.destination)).inserted
    else { return }
    let link = CapturedLink(isCertain: true) {
      "\(packet.source.text)-\(packet.destination.text)"
    }
    findings.lost(.fragments, on: link, .outbound, moment)
  }
}
