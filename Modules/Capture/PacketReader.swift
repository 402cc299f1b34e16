internal import Wire

/// Finds the packets in a capture's records, each direction of each link by itself.
public final class PacketReader {
  /// Interfaces that are told apart, and link layers that are told as not read.
  static let maximumInterfaces = 4_096
  /// Names of links that are kept; all further links count as one.
  public static let maximumLinks = Findings.maximumLinks

  private let findings: Findings
  private var internet: InternetReader
  private var bluetooth: BluetoothReader
  private var interfaces: [String: CapturedLink] = [:]
  /// Records of one interface mostly come in a row.
  private var latest: (name: String, link: CapturedLink)?
  private var stream: LinkStream?
  private var unread: Set<UInt32> = []
  private var moment = Moment(record: 0, time: nil)

  public init(_ visitor: any PacketVisitor) {
    findings = Findings(visitor)
    internet = InternetReader(findings)
    bluetooth = BluetoothReader(findings)
  }

  /// The links seen so far, by the names the capture has for them: text of others.
  public var links: [String] { findings.links }

  /// Takes the next record of the capture.
  public func take(_ info: RecordInfo, _ bytes: RawSpan) {
    moment = Moment(record: info.number, time: info.time)
    switch info.linkType {
    case .packets: takePacket(info, bytes)
    case .stream:
      let stream = self.stream ?? LinkStream(.reliable, link(info.interface), nil, findings)
      self.stream = stream
      stream.append(bytes, moment)
    case .ethernet, .linuxCooked, .linuxCooked2, .loopback, .internet:
      internet.take(info.linkType, bytes, moment)
    case .bluetoothH4, .bluetoothH4WithDirection, .bluetoothMonitor:
      bluetooth.take(info, bytes, moment)
    case .other(let value):
      if unread.count < Self.maximumInterfaces, unread.insert(value).inserted {
        findings.lost(.unreadLinkType(value), on: link(info.interface), nil, moment)
      }
    }
  }

  /// The capture is over: what was begun is told.
  public func finish() {
    stream?.finish(moment)
    internet.finish(moment)
    bluetooth.finish(moment)
  }

  private func takePacket(_ info: RecordInfo, _ bytes: RawSpan) {
    let link = link(info.interface.isEmpty ? "packets" : info.interface)
    if let view = PacketView(whole: bytes) {
      findings.packet(view, on: link, info.direction, moment)
    } else if bytes.byteCount < info.originalLength {
      let cut = Loss.cutRecord(captured: bytes.byteCount, original: info.originalLength)
      findings.lost(cut, on: link, info.direction, moment)
    } else {
      findings.lost(.noPacket(bytes: bytes.byteCount), on: link, info.direction, moment)
    }
  }

  private func link(_ name: String) -> CapturedLink {
    if let latest, latest.name == name { return latest.link }
    let link = interfaces[name] ?? CapturedLink(isCertain: true) { name }
    if interfaces.count < Self.maximumInterfaces { interfaces[name] = link }
    latest = (name, link)
    return link
  }
}
