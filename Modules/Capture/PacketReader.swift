internal import Wire

/// Finds the packets in a capture's records, each direction of each link by itself.
public final class PacketReader {
  /// Names of links that are kept; all further ones count as one.
  public static let maximumLinks = 4_096

  /// The links seen so far, by the names the capture has for them: text of others.
  public private(set) var links: [String] = []
  private var places: [String: Int] = [:]
  private var stream: LinkStream?
  private var lastCrossing: Crossing?
  private var unread: Set<UInt32> = []
  private let visitor: any PacketVisitor

  public init(_ visitor: any PacketVisitor) { self.visitor = visitor }

  /// Takes the next record of the capture.
  public func take(_ info: RecordInfo, _ bytes: RawSpan) {
    switch info.linkType {
    case .packets: takePacket(info, bytes)
    case .stream:
      let crossing = crossing(info, link: info.interface)
      lastCrossing = crossing
      let stream = self.stream ?? LinkStream(.reliable)
      self.stream = stream
      stream.append(bytes, crossing, visitor)
    case .other(let value):
      if unread.count < Self.maximumLinks, unread.insert(value).inserted {
        visitor.lost(crossing(info, link: info.interface), .unreadLinkType(value))
      }
    }
  }

  /// The capture is over: what was begun is told.
  public func finish() {
    if let lastCrossing { stream?.finish(lastCrossing, visitor) }
  }

  private func takePacket(_ info: RecordInfo, _ bytes: RawSpan) {
    let crossing = crossing(info, link: info.interface.isEmpty ? "packets" : info.interface)
    if let view = PacketView(whole: bytes) {
      visitor.packet(crossing, view)
    } else if bytes.byteCount < info.originalLength {
      visitor.lost(
        crossing, .cutRecord(captured: bytes.byteCount, original: info.originalLength))
    } else {
      visitor.lost(crossing, .noPacket(bytes: bytes.byteCount))
    }
  }

  private func crossing(_ info: RecordInfo, link: String) -> Crossing {
    Crossing(
      record: info.number, time: info.time, link: place(of: link), direction: info.direction)
  }

  private func place(of link: String) -> Int {
    if let place = places[link] { return place }
    guard links.count < Self.maximumLinks - 1 else {
      if links.count < Self.maximumLinks { links.append("further links") }
      return Self.maximumLinks - 1
    }
    links.append(link)
    places[link] = links.count - 1
    return links.count - 1
  }
}
