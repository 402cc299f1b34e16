/// What this program serves: the services every server has, and AirLink's (PROTOCOL, section 8).
///
/// It never changes, so nobody need ever be told that it did.
struct AttributeTable: Sendable {
  struct Attribute: Sendable {
    let handle: UInt16
    let type: GATTUUID
    /// What is read; nil: it cannot be.
    let value: [UInt8]?
    /// The last handle of the service that this declares.
    var groupEnd: UInt16?
  }

  enum Property {
    static let read: UInt8 = 0x02
    static let writeWithoutResponse: UInt8 = 0x04
    static let write: UInt8 = 0x08
    static let notify: UInt8 = 0x10
  }

  static let inbox: UInt16 = 9
  static let outbox: UInt16 = 11
  static let configuration: UInt16 = 12

  let attributes: [Attribute]

  init(_ uuids: AirLinkAttributes) {
    func declaration(_ properties: UInt8, _ handle: UInt16, _ type: GATTUUID) -> [UInt8] {
      [properties, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]
        + type.bytes
    }
    attributes = [
      Attribute(
        handle: 1, type: .primaryService, value: GATTUUID.genericAccess.bytes, groupEnd: 5),
      Attribute(
        handle: 2, type: .characteristic, value: declaration(Property.read, 3, .deviceName)),
      Attribute(handle: 3, type: .deviceName, value: Array("AirLink".utf8)),
      Attribute(
        handle: 4, type: .characteristic, value: declaration(Property.read, 5, .appearance)),
      Attribute(handle: 5, type: .appearance, value: [0, 0]),
      Attribute(
        handle: 6, type: .primaryService, value: GATTUUID.genericAttribute.bytes, groupEnd: 6),
      Attribute(handle: 7, type: .primaryService, value: uuids.service.bytes, groupEnd: 12),
      Attribute(
        handle: 8, type: .characteristic,
        value: declaration(
          Property.writeWithoutResponse | Property.write, Self.inbox, uuids.inbox)),
      Attribute(handle: Self.inbox, type: uuids.inbox, value: nil),
      Attribute(
        handle: 10, type: .characteristic,
        value: declaration(Property.notify, Self.outbox, uuids.outbox)),
      Attribute(handle: Self.outbox, type: uuids.outbox, value: nil),
      // Read through the server: it differs from peer to peer.
      Attribute(handle: Self.configuration, type: .configuration, value: [0, 0]),
    ]
  }

  func attribute(_ handle: UInt16) -> Attribute? {
    attributes.indices.contains(Int(handle) - 1) ? attributes[Int(handle) - 1] : nil
  }

  func attributes(in range: HandleRange) -> ArraySlice<Attribute> {
    let first = min(max(Int(range.first), 1) - 1, attributes.count)
    return attributes[first..<max(first, min(Int(range.last), attributes.count))]
  }
}

/// The UUIDs of the service and its two characteristics.
public struct AirLinkAttributes: Hashable, Sendable {
  public let service: GATTUUID
  public let inbox: GATTUUID
  public let outbox: GATTUUID

  /// PROTOCOL, section 8.
  public static let standard = AirLinkAttributes(
    service: GATTUUID(high: 0x6815_884A_E285_42A0, low: 0xB190_844D_55A9_D41D),
    inbox: GATTUUID(high: 0xBCBB_5819_8047_490D, low: 0x8780_E8C5_7CA9_B403),
    outbox: GATTUUID(high: 0x2DE3_4279_9563_4552, low: 0xA5E9_792E_CE69_67EF))
}
