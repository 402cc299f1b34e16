import BLELink
import Testing

@testable import HCIRadio

@Suite("what a controller is told and tells")
struct HCIEventTests {
  static let service: [UInt8] = [
    0x1D, 0xD4, 0xA9, 0x55, 0x4D, 0x84, 0x90, 0xB1, 0xA0, 0x42, 0x85, 0xE2, 0x4A, 0x88, 0x15, 0x68,
  ]
  static let flags: [UInt8] = [2, 0x01, 0x06]
  static let ours: [UInt8] = flags + [17, 0x07] + service

  /// An event packet with the reports given.
  static func packet(_ reports: [[UInt8]]) -> [UInt8] {
    let body: [UInt8] = [0x02, UInt8(reports.count)] + Array(reports.joined())
    let head: [UInt8] = [0x04, 0x3E, UInt8(body.count)]
    return head + body
  }

  static func report(_ type: UInt8, _ kind: UInt8, _ data: [UInt8], rssi: UInt8 = 0xC4) -> [UInt8] {
    let head: [UInt8] = [type, kind, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, UInt8(data.count)]
    return head + data + [rssi]
  }

  private func sightings(_ packet: [UInt8]) -> [HCIEvent.Sighting]? {
    guard case .sighted(let found) = HCIEvent(packet, service: Self.service) else { return nil }
    return found
  }

  @Test("an advertisement of ours is heard")
  func hears() {
    let found = sightings(Self.packet([Self.report(0, 1, Self.ours)]))
    #expect(
      found == [HCIEvent.Sighting(address: BLEAddress(0x0102_0304_0506, .random), rssi: -60)])
    let unknown = sightings(Self.packet([Self.report(4, 0, Self.ours, rssi: 127)]))
    #expect(unknown == [HCIEvent.Sighting(address: BLEAddress(0x0102_0304_0506), rssi: nil)])
  }

  @Test(
    "others are not",
    arguments: [
      [], flags, [17, 0x07] + service.reversed(), [17, 0x09] + service, [18, 0x07] + service,
      [0] + [17, 0x07] + service, [3, 0x03, 0x0F, 0x18],
    ] as [[UInt8]])
  func othersAreNot(data: [UInt8]) {
    #expect(sightings(Self.packet([Self.report(0, 0, data)])) == [])
  }

  @Test("what nobody can connect to is not", arguments: [1, 2, 3, 5, 255] as [UInt8])
  func notConnectable(type: UInt8) {
    #expect(sightings(Self.packet([Self.report(type, 0, Self.ours)])) == [])
  }

  @Test("several in one event are heard, those of one address once")
  func several() {
    let head: [UInt8] = [0, 0, 9, 9, 9, 9, 9, 9, UInt8(Self.ours.count)]
    let other = head + Self.ours + [0]
    let found = sightings(
      Self.packet([Self.report(0, 0, Self.ours), other, Self.report(4, 0, Self.ours)]))
    #expect(found?.map(\.address) == [BLEAddress(0x0102_0304_0506), BLEAddress(0x0909_0909_0909)])
  }

  @Test("an event cut at any length is none, or has fewer reports")
  func cut() {
    let whole = Self.packet([Self.report(0, 0, Self.ours), Self.report(0, 0, Self.flags)])
    for length in 0..<whole.count {
      #expect(HCIEvent(Array(whole.prefix(length)), service: Self.service) == nil)
      // The same with a length that fits.
      var shorter = Array(whole.prefix(length))
      if shorter.count > 3 {
        shorter[2] = UInt8(shorter.count - 3)
        #expect((sightings(shorter) ?? []).count <= 1)
      }
    }
  }

  @Test("answers to commands are read")
  func answers() {
    #expect(
      HCIEvent([0x04, 0x0E, 4, 1, 0x0A, 0x20, 0x0C], service: Self.service)
        == .answered(opcode: 0x200A, status: 0x0C))
    #expect(
      HCIEvent([0x04, 0x0F, 4, 0x0C, 1, 0x0A, 0x20], service: Self.service)
        == .answered(opcode: 0x200A, status: 0x0C))
    #expect(HCICommand.advertise(true).opcode == 0x200A)
    #expect(HCIEvent([0x04, 0x0E, 3, 1, 0x0A, 0x20], service: Self.service) == nil)
    #expect(HCIEvent([0x04, 0x3E, 1, 0x63], service: Self.service) == nil)
    #expect(HCIEvent([0x02, 0x0E, 4, 1, 0x0A, 0x20, 0], service: Self.service) == nil)
  }

  @Test("commands are as in the specification")
  func commands() {
    let parameters = HCICommand.advertisingParameters.parameters
    #expect(parameters == [0xA0, 0, 0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0])
    let data = HCICommand.advertisingData(service: Self.service).parameters
    #expect(data.count == 32 && data[0] == 21)
    #expect(Array(data[1...21]) == Self.ours)
    #expect(HCICommand.scanParameters.parameters == [1, 0x10, 0, 0x10, 0, 0, 0])
    #expect(HCICommand.scan(true).parameters == [1, 0])
  }

  @Test("any bytes at all are read without harm", arguments: 0...300)
  func anything(seed: Int) {
    var bytes = Self.packet([Self.report(0, 0, Self.ours), Self.report(4, 1, Self.flags)])
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    for _ in 0..<3 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 20)
    }
    _ = HCIEvent(bytes, service: Self.service)
  }
}
