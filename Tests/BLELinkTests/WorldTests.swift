import Link
import Testing
import Wire

@testable import BLELink

@MainActor
@Suite("Bluetooth links in a made-up ether")
struct WorldTests {
  @Test(
    "two who meet have one link each, whoever connects", arguments: 1...10 as ClosedRange<UInt64>)
  func twoMeet(seed: UInt64) throws {
    let world = VirtualWorld(seed: seed)
    let ether = Ether(world)
    let nodes = [VirtualNode(ether, 1), VirtualNode(ether, 2)]
    ether.start()
    let took = world.pass(atMost: .seconds(20)) { nodes.allSatisfy { $0.up.count == 1 } }
    #expect(took != nil, "seed \(seed)")
    world.pass(.seconds(60))
    for node in nodes {
      #expect(node.up.count == 1, "seed \(seed)")
      #expect(node.ups == 1, "it stays up, seed \(seed)")
      #expect(node.notices == [])
    }
    #expect(ether.connections.count == 1)
  }

  @Test(
    "a thousand packets each way come whole and once, or are counted as shed",
    arguments: [nil, 20, 244, 510] as [Int?], [true, false])
  func thousandPackets(chunkLimit: Int?, isLikeBluetoothd: Bool) throws {
    let world = VirtualWorld(seed: UInt64(chunkLimit ?? 0) + 1)
    let ether = Ether(world)
    ether.manners.chunkLimit = chunkLimit
    ether.manners.isLikeBluetoothd = isLikeBluetoothd
    let nodes = [VirtualNode(ether, 1), VirtualNode(ether, 2)]
    ether.start()
    _ = world.pass(atMost: .seconds(20)) { nodes.allSatisfy { $0.up.count == 1 } }
    world.pass(.seconds(5))
    let links = try nodes.map { try #require($0.up.keys.first) }
    var shed = [0, 0]
    for number in 0..<1_000 {
      for side in 0...1 {
        let size = Packet.sealedSizes[number % Packet.sealedSizes.count]
        let outcome = nodes[side].link.send(.sample(UInt64(number), size: size), on: links[side])
        if outcome == .shed { shed[side] += 1 }
      }
      world.pass(.milliseconds(2))
    }
    world.pass(.seconds(120))
    for side in 0...1 {
      let other = nodes[1 - side]
      #expect(other.received.count + shed[side] == 1_000)
      #expect(shed[side] == nodes[side].statistic("shed"))
      #expect(Set(other.received.map(\.packet.number)).count == other.received.count)
      for entry in other.received {
        let number = entry.packet.number
        let size = Packet.sealedSizes[Int(number) % Packet.sealedSizes.count]
        #expect(entry.packet == .sample(number, size: size))
      }
      #expect(other.received.count > 5, "a good part comes through")
      #expect(nodes[side].statistic("queued-chunks") == 0)
    }
  }

  @Test("with notifications alone, packets of many chunks are paced and come whole")
  func notificationsAlone() throws {
    let world = VirtualWorld(seed: 4)
    let ether = Ether(world)
    ether.manners.clientPaths = 0
    let nodes = [VirtualNode(ether, 1), VirtualNode(ether, 2), VirtualNode(ether, 3)]
    ether.start()
    // Some of the three have but the notifications of another to send by.
    _ = world.pass(atMost: .seconds(30)) { nodes.allSatisfy { $0.up.count == 2 } }
    world.pass(.seconds(5))
    for number in 0..<30 {
      for node in nodes {
        for link in node.up.keys.sorted() {
          let size = Packet.sealedSizes[number % Packet.sealedSizes.count]
          let outcome = node.link.send(.sample(UInt64(number), size: size), on: link)
          #expect(outcome == .queued)
        }
      }
      world.pass(.seconds(3))
    }
    world.pass(.seconds(30))
    for node in nodes {
      for other in nodes where other !== node {
        let address = other.radio === nodes[0].radio ? 1 : other.radio === nodes[1].radio ? 2 : 3
        let link = try #require(node.link(to: UInt64(address)))
        let numbers = node.received.filter { $0.link == link }.map(\.packet.number)
        #expect(Set(numbers) == Set(0..<30), "from \(address)")
      }
      #expect(node.statistic("checksum-failures") == 0)
    }
  }

  @Test("what is lost on the air costs the packets it was of and no other")
  func loss() throws {
    let world = VirtualWorld(seed: 11)
    let ether = Ether(world)
    let nodes = [VirtualNode(ether, 1), VirtualNode(ether, 2)]
    ether.start()
    _ = world.pass(atMost: .seconds(20)) { nodes.allSatisfy { $0.up.count == 1 } }
    ether.manners.loss = 3
    let link = try #require(nodes[0].up.keys.first)
    for number in 0..<500 {
      nodes[0].link.send(.sample(UInt64(number), size: 1_072), on: link)
      world.pass(.milliseconds(100))
    }
    world.pass(.seconds(10))
    let got = nodes[1].received.map(\.packet)
    #expect(got.allSatisfy { $0 == .sample($0.number, size: 1_072) })
    #expect(Set(got.map(\.number)).count == got.count)
    // Three chunks each, and the packet behind a cut one may be taken for its end.
    #expect(got.count > 400 && got.count < 500)
  }

  @Test("whoever is not on the list of a test is not linked with")
  func allowList() {
    let world = VirtualWorld(seed: 5)
    let ether = Ether(world)
    let ends = [
      VirtualNode(ether, 1, allowed: [BLEAddress(2)]),
      VirtualNode(ether, 3, allowed: [BLEAddress(2)]),
    ]
    let middle = VirtualNode(ether, 2, allowed: [BLEAddress(1), BLEAddress(3)])
    ether.start()
    world.pass(.seconds(60))
    #expect(middle.up.count == 2)
    #expect(ends.allSatisfy { $0.up.count == 1 && $0.link(to: 2) != nil })
  }
}
