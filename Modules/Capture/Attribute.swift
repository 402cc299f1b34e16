/// Values that cross a connection in packets of the attribute protocol (Core specification, volume
/// 3, part F): what is written and what is notified.
enum Attribute {
  /// The L2CAP channel of the attribute protocol over LE.
  static let channel: UInt16 = 4

  /// Lends each value of the packet to `body`, with the handle of its attribute.
  static func values(in packet: RawSpan, _ body: (UInt16, RawSpan) -> Void) {
    guard let code = packet.load(0, as: UInt8.self),
      let handle = packet.load(little: 1, as: UInt16.self)
    else { return }
    switch code {
    // Write request and command, notification, indication.
    case 0x12, 0x52, 0x1B, 0x1D: body(handle, packet.extracting(droppingFirst: 3))
    // Prepare write: a part of a long value, behind its offset.
    case 0x16 where packet.byteCount >= 5: body(handle, packet.extracting(droppingFirst: 5))
    // Signed write: a signature of 12 bytes at the end.
    case 0xD2 where packet.byteCount >= 15:
      body(handle, packet.extracting(3..<packet.byteCount - 12))
    case 0x23: several(packet.extracting(droppingFirst: 1), body)
    default: break
    }
  }

  /// Several notifications: handle, length and value of each.
  private static func several(_ list: RawSpan, _ body: (UInt16, RawSpan) -> Void) {
    var rest = list
    while let handle = rest.load(little: 0, as: UInt16.self),
      let length = rest.load(little: 2, as: UInt16.self), rest.byteCount >= 4 + Int(length)
    {
      body(handle, rest.extracting(4..<4 + Int(length)))
      rest = rest.extracting(droppingFirst: 4 + Int(length))
    }
  }
}
