/// Puts the L2CAP packets of one direction of a connection together from its ACL data (Core
/// specification, volume 3, part A).
struct L2CAPAssembly {
  private static let headerLength = 4

  private var held: [UInt8] = []
  /// Whether a packet is begun.
  var isOpen: Bool { !held.isEmpty }

  /// Takes the next piece.
  ///
  /// `deliver` is given a whole packet's channel and payload, `gap` how many bytes of a packet never
  /// came; 0 where it cannot be said.
  mutating func take(
    _ piece: RawSpan, isContinued: Bool, deliver: (UInt16, RawSpan) -> Void, gap: (Int) -> Void
  ) {
    if isContinued {
      // The rest of a packet whose beginning the capture has not.
      guard isOpen else { return gap(piece.byteCount) }
    } else {
      drop(gap)
      // Most packets come in one piece.
      if let length = piece.load(little: 0, as: UInt16.self),
        piece.byteCount == Self.headerLength + Int(length)
      {
        return Self.deliver(piece, deliver)
      }
    }
    piece.withUnsafeBytes { held.append(contentsOf: $0) }
    guard held.count >= Self.headerLength else { return }
    let wanted = Self.headerLength + Int(held[0]) + Int(held[1]) << 8
    if held.count == wanted {
      Self.deliver(held.span.bytes, deliver)
      held.removeAll(keepingCapacity: true)
    } else if held.count > wanted {
      held.removeAll(keepingCapacity: true)
      gap(0)
    }
  }

  /// What is begun never ends.
  mutating func drop(_ gap: (Int) -> Void) {
    guard isOpen else { return }
    let wanted = held.count >= 2 ? Self.headerLength + Int(held[0]) + Int(held[1]) << 8 : 0
    let missing = max(0, wanted - held.count)
    held.removeAll(keepingCapacity: true)
    gap(missing)
  }

  private static func deliver(_ packet: RawSpan, _ deliver: (UInt16, RawSpan) -> Void) {
    guard let channel = packet.load(little: 2, as: UInt16.self) else { return }
    deliver(channel, packet.extracting(droppingFirst: headerLength))
  }
}
