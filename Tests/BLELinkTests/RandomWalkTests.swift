import Link
import Testing
import Wire

@testable import BLELink

/// Everything at once, from one seed: connections that break, paths that go one by one, controllers
/// that are switched off, scans that end; and at the end everybody is linked again.
@MainActor
@Suite("Bluetooth links under random mishaps")
struct RandomWalkTests {
  /// Long enough for the longest pause, an attempt in vain and a scan renewed.
  static let recovery: Duration = .seconds(90)

  @Test(
    "are all up again afterwards, and no packet came twice or broken",
    arguments: 1...6 as ClosedRange<UInt64>, [2, 3] as [UInt64])
  func walk(seed: UInt64, count: UInt64) {
    let world = VirtualWorld(seed: seed &* 1_000 &+ count)
    let ether = Ether(world)
    ether.manners.isLikeBluetoothd = seed.isMultiple(of: 2)
    ether.manners.chunkLimit = [nil, 20, 182, 510].randomElement(using: &world.random) ?? nil
    ether.manners.clientPaths = [100, 50].randomElement(using: &world.random) ?? 100
    let nodes = (1...count).map { VirtualNode(ether, $0) }
    ether.start()
    var sent = 0
    for _ in 0..<400 {
      mishap(world, ether, nodes)
      for node in nodes {
        for link in node.up.keys.sorted() where world.chance(50) {
          sent += 1
          let size = Packet.sealedSizes.randomElement(using: &world.random) ?? 304
          let number = UInt64(sent) * 10_000 + UInt64(size)
          node.link.send(.sample(number, size: size), on: link)
        }
      }
      world.pass(world.milliseconds(10...400))
    }
    for address in 1...count { nodes[Int(address) - 1].radio.switchOn(BLEAddress(address)) }
    let took = world.pass(atMost: Self.recovery) {
      nodes.allSatisfy { $0.up.count == count - 1 }
    }
    #expect(took != nil, "seed \(seed), \(count) nodes: \(nodes.map(\.up.count))")
    for node in nodes {
      let numbers = node.received.map { "\($0.link) \($0.packet.number)" }
      if !ether.manners.isLikeBluetoothd || ether.manners.clientPaths == 100 {
        #expect(Set(numbers).count == numbers.count, "seed \(seed)")
      }
      for entry in node.received {
        let number = entry.packet.number
        #expect(entry.packet == .sample(number, size: Int(number % 10_000)), "seed \(seed)")
      }
      #expect(node.statistic("closed-misbehaved") == 0, "seed \(seed)")
    }
    #expect(sent > 60 && nodes.contains { $0.received.count > 5 }, "the walk went somewhere")
  }

  private func mishap(_ world: VirtualWorld, _ ether: Ether, _ nodes: [VirtualNode]) {
    guard let node = nodes.randomElement(using: &world.random) else { return }
    let address = BLEAddress(UInt64(nodes.firstIndex { $0 === node } ?? 0) + 1)
    switch Int.random(in: 0..<200, using: &world.random) {
    case 0..<3:
      if let connection = ether.connections.randomElement(using: &world.random) {
        ether.drop(connection, because: "out of range")
      }
    case 3: node.radio.switchOff(address)
    case 4..<8: node.radio.switchOn(address)
    case 8..<10:
      if let path = node.radio.paths.keys.sorted().randomElement(using: &world.random) {
        node.radio.loseOnePath(path)
      }
    case 10..<12: node.radio.endScan(address)
    case 12: node.radio.endScanInSilence(address)
    case 13: node.link.systemResumed()
    default: break
    }
  }
}
