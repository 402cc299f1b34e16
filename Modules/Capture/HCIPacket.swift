/// A packet between a Bluetooth host and its controller (Core specification, volume 4, part E).
enum HCIPacket {
  /// Data of a connection: its handle, which part of an L2CAP packet, where the data lies.
  case data(handle: UInt16, isContinued: Bool, direction: Direction?, Range<Int>)
  case connected(handle: UInt16, peer: [UInt8])
  case disconnected(handle: UInt16)
  case other

  private enum Kind {
    static let data: UInt8 = 2
    static let event: UInt8 = 4
  }

  /// How long before a snapshot length cut it the data was, where it was cut.
  static func missing(_ bytes: RawSpan, dataAt offset: Int) -> Int {
    let declared = Int(bytes.load(little: offset - 2, as: UInt16.self) ?? 0)
    return max(0, declared - (bytes.byteCount - offset))
  }

  /// Reads the packet that begins with its H4 type at `offset`.
  init(h4 bytes: RawSpan, at offset: Int, _ direction: Direction?) {
    switch bytes.load(offset, as: UInt8.self) {
    case Kind.data?: self = Self.data(bytes, at: offset + 1, direction)
    case Kind.event?: self = Self.event(bytes, at: offset + 1)
    default: self = .other
    }
  }

  /// Reads a packet of Linux's monitor channel: adapter and kind, 16 bits each, then the packet.
  init(monitor bytes: RawSpan) {
    switch bytes.load(2, as: UInt16.self) {
    case 3?: self = Self.event(bytes, at: 4)
    case 4?: self = Self.data(bytes, at: 4, .outbound)
    case 5?: self = Self.data(bytes, at: 4, .inbound)
    default: self = .other
    }
  }

  private static func data(
    _ bytes: RawSpan, at offset: Int, _ direction: Direction?
  ) -> HCIPacket {
    guard let word = bytes.load(little: offset, as: UInt16.self),
      let length = bytes.load(little: offset + 2, as: UInt16.self)
    else { return .other }
    let start = offset + 4
    let boundary = word >> 12 & 3
    // What a host begins over LE is marked 0, what a controller begins 2.
    let guess: Direction? =
      switch boundary {
      case 0: .outbound
      case 2: .inbound
      default: nil
      }
    return .data(
      handle: word & 0xFFF, isContinued: boundary == 1, direction: direction ?? guess,
      start..<min(start + Int(length), bytes.byteCount))
  }

  private static func event(_ bytes: RawSpan, at offset: Int) -> HCIPacket {
    switch (bytes.load(offset, as: UInt8.self), bytes.load(offset + 2, as: UInt8.self)) {
    // LE connection complete, enhanced, and its second version: status 0, handle, role, peer.
    case (0x3E?, 0x01?), (0x3E?, 0x0A?), (0x3E?, 0x29?):
      guard bytes.load(offset + 3, as: UInt8.self) == 0,
        let handle = bytes.load(little: offset + 4, as: UInt16.self),
        bytes.byteCount >= offset + 14
      else { return .other }
      let peer = (8..<14).reversed().map { bytes.byte(at: offset + $0) }
      return .connected(handle: handle & 0xFFF, peer: peer)
    // Disconnection complete, with status 0.
    case (0x05?, 0?):
      guard let handle = bytes.load(little: offset + 3, as: UInt16.self) else { return .other }
      return .disconnected(handle: handle & 0xFFF)
    default: return .other
    }
  }
}
