import Link
import Testing
import Wire

@testable import BLELink

@Suite("the policy of controllers")
struct ControllerTests {
  private let id = PolicyHarness.adapter

  @Test("a scan that ends by itself is begun again, later and later when it ends at once")
  func scanEnds() {
    var harness = PolicyHarness()
    var pauses: [Duration] = []
    for _ in 0..<8 {
      harness.act { $0.scanEnded(on: id, now: $1) }
      let ended = harness.now
      while harness.pass(.milliseconds(100)) != [.scan(id, true)] {}
      pauses.append(harness.now - ended)
    }
    #expect(pauses.first == .seconds(1))
    #expect(pauses.last == .seconds(30))
    // Somebody was heard: the next pause is the first.
    harness.see(2)
    harness.pass(.milliseconds(1))
    harness.act { $0.scanEnded(on: id, now: $1) }
    #expect(harness.policy.adapters[id]?.scanEnds == 1)
  }

  @Test("a scan that hears nobody for half a minute is begun anew")
  func scanRenewed() {
    var harness = PolicyHarness()
    #expect(harness.pass(.milliseconds(29_900)) == [])
    #expect(harness.pass(.seconds(1)) == [.scan(id, false), .scan(id, true)])
  }

  @Test("advertising that ends by itself is begun again")
  func advertisingEnds() {
    var harness = PolicyHarness()
    harness.act { $0.advertisingEnded(on: id, now: $1) }
    #expect(harness.pass(.seconds(1)).contains(.advertise(id, true)))
  }

  @Test("a controller that does one thing at a time does both in turn, and connects while it scans")
  func oneRoleAtATime() {
    var harness = PolicyHarness(
      adapter: BLEAdapter(name: "hci0", address: BLEAddress(1), canDoBothAtOnce: false))
    var isAdvertising = false
    var isScanning = false
    var turns = 0
    let effects = harness.effects + harness.pass(.seconds(120))
    for effect in effects {
      switch effect {
      case .advertise(_, let isOn):
        #expect(!(isOn && isScanning))
        isAdvertising = isOn
        turns += 1
      case .scan(_, let isOn):
        #expect(!(isOn && isAdvertising))
        isScanning = isOn
      case .connect: #expect(!isAdvertising)
      default: break
      }
    }
    #expect(turns > 20)
  }

  @Test("two that do one thing at a time meet", arguments: 1...20 as ClosedRange<UInt64>)
  func alternatorsMeet(seed: UInt64) {
    var ends = ((1...2) as ClosedRange<UInt64>).map { address in
      PolicyHarness(
        seed: seed &* 7 &+ address,
        adapter: BLEAdapter(
          name: "hci0", address: BLEAddress(address), canDoBothAtOnce: false))
    }
    var met: Int?
    for step in 0..<1_200 where met == nil {
      for end in 0...1 {
        let other = ends[1 - end].policy.adapters[id]
        if ends[end].policy.adapters[id]?.isScanning == true, other?.isAdvertising == true {
          ends[end].see(UInt64(1 - end) + 1)
        }
        let isReached = !ends[end].pass(.milliseconds(100)).connects.isEmpty
        if isReached, ends[1 - end].policy.adapters[id]?.isAdvertising == true { met = step }
      }
    }
    #expect(met != nil, "within two minutes, seed \(seed)")
  }

  @Test("one that cannot scan advertises, one that cannot advertise scans")
  func oneRoleOnly() {
    let peripheral = PolicyHarness(
      adapter: BLEAdapter(name: "hci0", address: BLEAddress(1), canScan: false))
    #expect(peripheral.effects == [.advertise(id, true)])
    let central = PolicyHarness(
      adapter: BLEAdapter(name: "hci0", address: BLEAddress(1), canAdvertise: false))
    #expect(central.effects == [.scan(id, true)])
  }

  @Test(
    "a place is left for others to connect; with none left it is quiet", arguments: [1, 2, 3, 7])
  func connectionLimit(limit: Int) {
    var harness = PolicyHarness(
      adapter: BLEAdapter(name: "hci0", address: BLEAddress(1), maximumConnections: limit))
    for address in 2..<20 { harness.see(UInt64(address)) }
    var made: [BLEDevice] = []
    for _ in 0..<60 {
      for device in harness.pass(.seconds(1)).connects {
        made.append(device)
        _ = harness.link(to: device.address.value)
      }
    }
    #expect(made.count == (limit > 2 ? limit - 1 : limit))
    if limit > 2 { harness.bringUp(.server, to: 99) }
    let adapter = harness.policy.adapters[id]
    #expect(adapter?.isAdvertising == false && adapter?.isScanning == false)
    // One goes: it is heard and hears again.
    if let path = harness.policy.links.values.first?.client?.id {
      let effects = harness.act { $0.pathDown(path, because: "gone", now: $1) }
      #expect(effects.contains(.advertise(id, true)))
    }
  }

  @Test("when one goes, its links are down at once; back under another name, all are tried")
  func removedAndBack() throws {
    var harness = PolicyHarness()
    let made = harness.link(to: 2)
    let link = try #require(made)
    harness.pass(.seconds(20))
    let effects = harness.act { $0.adapterDown(id, because: "unplugged", now: $1) }
    #expect(effects == [.down(link, .lost("hci0: unplugged"))])
    #expect(harness.policy.paths.isEmpty && harness.policy.outlets.isEmpty)
    #expect(harness.pass(.seconds(60)) == [])
    let back = AdapterID(5)
    harness.act { $0.adapterUp(back, BLEAdapter(name: "hci3", address: BLEAddress(1)), now: $1) }
    #expect(harness.pass(.seconds(1)).connects == [BLEDevice(back, BLEAddress(2))])
  }

  @Test("news of controllers that are gone, and of paths nobody knows, change nothing")
  func lateNews() {
    var harness = PolicyHarness(adapter: nil)
    harness.see(2)
    let path = harness.bringUp(.client, to: 2)
    harness.act { policy, now in
      policy.scanEnded(on: id, now: now)
      policy.advertisingEnded(on: id, now: now)
      policy.adapterDown(id, because: "gone", now: now)
      policy.pathDown(path, because: "gone", now: now)
      policy.pathChanged(path, chunkLimit: 3)
      policy.writable(path)
      policy.close(LinkID(9), because: .stopping, now: now)
      policy.proved(LinkID(9))
    }
    #expect(harness.effects == [])
    #expect(harness.policy.nextDeadline == nil)
  }

  @Test("after suspend everything that waits is tried now")
  func resumed() throws {
    var harness = PolicyHarness()
    let made = harness.link(to: 2)
    let link = try #require(made)
    let path = try #require(harness.policy.links[link]?.client?.id)
    harness.pass(.seconds(20))
    harness.act { $0.pathDown(path, because: "gone", now: $1) }
    harness.pass(.seconds(1_300))
    let effects = harness.act { $0.resumed(now: $1) }
    #expect(effects.connects == [harness.device(2)])
  }
}
