/// A command of LE to a controller (Bluetooth Core 5.4, volume 4, part E, section 7.8).
struct HCICommand: Hashable, Sendable {
  /// The group of LE's commands.
  static let group: UInt16 = 0x08

  /// Which command of the group.
  let number: UInt16
  let parameters: [UInt8]

  /// As events name it.
  var opcode: UInt16 { Self.group << 10 | number }

  /// 100 ms, in units of 0.625 ms: found soon, and little of the air taken.
  static let advertisingInterval: UInt16 = 160
  /// Scanning without a pause, 10 ms a channel.
  static let scanInterval: UInt16 = 16
  /// AD types (Core Specification Supplement, part A, section 1).
  enum DataType {
    static let flags: UInt8 = 0x01
    static let someServices: UInt8 = 0x06
    static let allServices: UInt8 = 0x07
  }
  /// General discoverable, no BR/EDR.
  private static let flags: UInt8 = 0x06
  private static let dataSize = 31

  /// Connectable and undirected, on all three channels, from the public address.
  static let advertisingParameters: HCICommand = {
    let interval = advertisingInterval
    let words = [UInt8(interval & 255), UInt8(interval >> 8)]
    let rest: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0x07, 0]
    return HCICommand(number: 0x0006, parameters: words + words + rest)
  }()

  /// Flags and one service's UUID, 16 bytes, the least significant first.
  static func advertisingData(service: [UInt8]) -> HCICommand {
    var data: [UInt8] = [2, DataType.flags, flags]
    data.append(UInt8(truncatingIfNeeded: 1 + service.count))
    data.append(DataType.allServices)
    data += service
    let length = UInt8(truncatingIfNeeded: data.count)
    data += [UInt8](repeating: 0, count: max(0, dataSize - data.count))
    return HCICommand(number: 0x0008, parameters: [length] + data.prefix(dataSize))
  }

  static func advertise(_ isOn: Bool) -> HCICommand {
    HCICommand(number: 0x000A, parameters: [isOn ? 1 : 0])
  }

  /// Active, so that what does not fit an advertisement is heard too.
  static let scanParameters = HCICommand(
    number: 0x000B,
    parameters: [1, UInt8(scanInterval), 0, UInt8(scanInterval), 0, 0, 0])

  /// Every advertisement is told, also of those heard before.
  static func scan(_ isOn: Bool) -> HCICommand {
    HCICommand(number: 0x000C, parameters: [isOn ? 1 : 0, 0])
  }
}
