internal import Wire

/// When something was seen: the record, and its time where the capture has one.
struct Moment {
  let record: Int
  let time: CaptureTime?

  /// For measuring spans; where no times are known all is at once.
  var nanoseconds: Int64 { time?.nanoseconds ?? 0 }
}

/// A link as a capture shows it: a node's own, a TCP connection, a Bluetooth connection.
final class CapturedLink {
  /// Whether packets cross it for sure.
  ///
  /// On others nothing is told as lost before the first packet:
  /// most connections of a machine are none of ours.
  let isCertain: Bool
  private let makeName: () -> String
  /// Its place in `Findings.links`, once something was found on it.
  fileprivate(set) var place: Int?

  init(isCertain: Bool, name: @escaping () -> String) {
    self.isCertain = isCertain
    makeName = name
  }

  fileprivate var name: String { makeName() }
}

/// Tells the visitor what is found, and knows the links that something was found on.
final class Findings {
  /// Names that are kept; all further links count as one.
  static let maximumLinks = 4_096

  private(set) var links: [String] = []
  private var places: [String: Int] = [:]
  private let visitor: any PacketVisitor

  init(_ visitor: any PacketVisitor) { self.visitor = visitor }

  func packet(
    _ view: borrowing PacketView, on link: CapturedLink, _ direction: Direction?, _ moment: Moment
  ) {
    visitor.packet(crossing(link, direction, moment), view)
  }

  func frame(
    _ bytes: RawSpan, on link: CapturedLink, _ direction: Direction?, _ moment: Moment
  ) {
    guard let frame = CallFrame(bytes) else { return }
    visitor.frame(crossing(link, direction, moment), frame, bytes)
  }

  func lost(
    _ loss: Loss, on link: CapturedLink, _ direction: Direction?, _ moment: Moment
  ) {
    guard link.isCertain || link.place != nil else { return }
    visitor.lost(crossing(link, direction, moment), loss)
  }

  private func crossing(
    _ link: CapturedLink, _ direction: Direction?, _ moment: Moment
  ) -> Crossing {
    let place = link.place ?? place(of: link.name)
    link.place = place
    return Crossing(
      record: moment.record, time: moment.time, link: place, direction: direction)
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
