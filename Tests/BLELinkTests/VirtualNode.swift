import Link
import Wire

@testable import BLELink

/// A Bluetooth link in the ether, and what those above it saw.
@MainActor
final class VirtualNode: LinkObserver {
  let radio: MadeUpRadio
  private(set) var link: BLELink
  private(set) var up: [LinkID: LinkDescription] = [:]
  private(set) var received: [(link: LinkID, packet: Packet)] = []
  private(set) var notices: [String] = []
  private(set) var downs: [LinkCloseReason] = []
  private(set) var ups = 0
  /// Called for each packet.
  var onPacket: (@MainActor (LinkID, Packet) -> Void)?

  init(
    _ ether: Ether, _ number: UInt64, adapters: [BLEAdapter]? = nil,
    allowed: Set<BLEAddress>? = nil, limits: BLELimits = .standard
  ) {
    let own = adapters ?? [BLEAdapter(name: "hci0", address: BLEAddress(number))]
    radio = MadeUpRadio(ether, number: number, own)
    var last = UInt32(number) * 10_000
    let configuration = BLEConfiguration(seed: ether.world.random.next(), allowed: allowed) {
      last += 1
      return LinkID(last)
    }
    link = BLELink(
      configuration, radio: radio, limits: limits, clock: VirtualClock(ether.world))
    link.observer = self
    link.start()
  }

  /// A link to that address that is up.
  func link(to address: UInt64) -> LinkID? {
    let text = "\(BLEAddress(address))"
    return up.filter { $0.value.remote == text }.keys.min()
  }

  func statistic(_ name: String) -> Int { link.statistics.first { $0.name == name }?.value ?? -1 }

  func linkCameUp(_ link: LinkID, _ description: LinkDescription) {
    precondition(up[link] == nil, "up twice")
    up[link] = description
    ups += 1
    // As a node says hello.
    self.link.send(.hello(self.link.configuration.seed &+ UInt64(link.rawValue)), on: link)
  }

  func linkWentDown(_ link: LinkID, because reason: LinkCloseReason) {
    precondition(up.removeValue(forKey: link) != nil, "down without having been up")
    downs.append(reason)
  }

  func link(_ link: LinkID, received packet: borrowing PacketView) {
    precondition(up[link] != nil, "a packet of a link that is not up")
    let packet = Packet(copying: packet)
    if packet.header.kind == .hello { return }
    received.append((link, packet))
    onPacket?(link, packet)
  }

  func transportNotice(_ transport: String, _ notice: String) { notices.append(notice) }
}

extension Packet {
  /// A packet of 44 bytes more than `size`; no two of one number and size are unlike.
  static func sample(_ number: UInt64, size: Int = 304, kind: PacketKind = .sealed) -> Packet {
    var random = SplitMix64(seed: number ^ 0x5EED)
    var id: [UInt8] = []
    id.append(bigEndian: number)
    id.append(bigEndian: random.next())
    var payload: [UInt8] = []
    while payload.count + 8 <= size { payload.append(bigEndian: random.next()) }
    payload.append(contentsOf: repeatElement(7, count: size - payload.count))
    return Packet(
      kind: kind, hopLimit: 1, time: Timestamp(milliseconds: number),
      id: PacketID(id) ?? PacketID(), destination: Fingerprint(value: 7),
      payload: payload)
  }

  static func hello(_ number: UInt64) -> Packet { sample(number, size: 140, kind: .hello) }

  /// What `sample` was given.
  var number: UInt64 { header.time.milliseconds }

  /// Sizes of payloads that sealed packets have.
  static let sealedSizes = [304, 560, 1_072, 2_096, 4_144, 8_240]
}
