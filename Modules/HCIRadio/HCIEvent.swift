internal import BLELink

/// What a controller tells, as far as anybody here wants to know (Bluetooth Core 5.4, volume 4,
/// part E, section 7.7).
enum HCIEvent: Hashable, Sendable {
  /// A command was carried out, or refused where the status is not 0.
  case answered(opcode: UInt16, status: UInt8)
  /// Advertisements that name our service.
  case sighted([Sighting])
  /// Somebody connected to us, or we to somebody.
  case connected
  case disconnected

  struct Sighting: Hashable, Sendable {
    let address: BLEAddress
    let rssi: Int?
  }

  /// Reads an HCI event packet, its type byte included; nil for what is none of these, and for what
  /// is cut or does not add up.
  init?(_ packet: [UInt8], service: [UInt8]) {
    // Type, event, length, and then as much as the length says.
    guard packet.count >= 3, packet[0] == 0x04, Int(packet[2]) == packet.count - 3 else {
      return nil
    }
    let body = packet[3...]
    switch packet[1] {
    case 0x0E:
      // Packets allowed, opcode, and what the command returns: first of all its status.
      guard body.count >= 4 else { return nil }
      self = .answered(opcode: UInt16(packet[5]) << 8 | UInt16(packet[4]), status: packet[6])
    case 0x0F:
      guard body.count >= 4 else { return nil }
      self = .answered(opcode: UInt16(packet[6]) << 8 | UInt16(packet[5]), status: packet[3])
    case 0x05: self = .disconnected
    case 0x3E:
      switch body.first {
      case 0x01, 0x0A: self = .connected
      case 0x02: self = .sighted(Self.reports(body.dropFirst(), service: service))
      default: return nil
      }
    default: return nil
    }
  }

  /// Advertising reports: how many, then each with event type, address, data and RSSI.
  private static func reports(_ bytes: ArraySlice<UInt8>, service: [UInt8]) -> [Sighting] {
    var rest = bytes
    var found: [Sighting] = []
    guard let count = rest.popFirst() else { return [] }
    for _ in 0..<count {
      guard rest.count >= 9, let type = rest.popFirst(), let kind = rest.popFirst() else { break }
      let address = rest.prefix(6).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(6)
      guard let length = rest.popFirst(), rest.count > Int(length) else { break }
      let data = rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
      guard let rssi = rest.popFirst().map({ Int8(bitPattern: $0) }) else { break }
      // Connectable ones, and the answers that belong to them; 2 and 3 of the kinds are identities
      // that the controller resolved.
      guard type == 0 || type == 4, names(service, in: data) else { continue }
      let sighting = Sighting(
        address: BLEAddress(address, kind & 1 == 0 ? .public : .random),
        rssi: rssi == 127 ? nil : Int(rssi))
      if !found.contains(where: { $0.address == sighting.address }) { found.append(sighting) }
    }
    return found
  }

  /// Whether advertising data lists a service: structures of length, type and as much data.
  private static func names(_ service: [UInt8], in data: ArraySlice<UInt8>) -> Bool {
    var rest = data
    while let length = rest.popFirst(), length > 0, rest.count >= Int(length),
      let type = rest.first
    {
      var uuids = rest.prefix(Int(length)).dropFirst()
      rest = rest.dropFirst(Int(length))
      guard type == HCICommand.DataType.someServices || type == HCICommand.DataType.allServices
      else { continue }
      while uuids.count >= service.count {
        if uuids.prefix(service.count).elementsEqual(service) { return true }
        uuids = uuids.dropFirst(service.count)
      }
    }
    return false
  }
}
