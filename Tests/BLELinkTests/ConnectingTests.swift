import Link
import Testing
import Wire

@testable import BLELink

@Suite("the policy of connecting")
struct ConnectingTests {
  @Test("a controller advertises and scans as soon as it is there")
  func begins() {
    let harness = PolicyHarness()
    #expect(
      harness.effects
        == [.advertise(PolicyHarness.adapter, true), .scan(PolicyHarness.adapter, true)])
  }

  @Test("somebody heard is connected to within half a second, while scanning rests")
  func connects() {
    var harness = PolicyHarness()
    #expect(harness.see(2).connects == [], "two who hear each other do not both jump")
    let effects = harness.pass(.milliseconds(500))
    #expect(effects == [.scan(PolicyHarness.adapter, false), .connect(harness.device(2))])
    let before = harness.effects.count
    harness.bringUp(.client, to: 2)
    let after = harness.effects.dropFirst(before)
    #expect(after.contains(.scan(PolicyHarness.adapter, true)))
    #expect(Array(after).announced.count == 1)
  }

  @Test("the hesitations of two nodes are not the same")
  func hesitations() {
    let times = (1...20).map { seed in
      var harness = PolicyHarness(seed: UInt64(seed))
      harness.see(2)
      var waited = 0
      while harness.pass(.milliseconds(1)).connects.isEmpty { waited += 1 }
      return waited
    }
    #expect(Set(times).count > 10)
    #expect(times.allSatisfy { $0 <= 500 })
  }

  @Test("who connected to us first is not connected to")
  func otherSideWasFirst() {
    var harness = PolicyHarness()
    harness.see(2)
    harness.bringUp(.server, to: 2)
    #expect(harness.pass(.seconds(5)).connects == [])
    // The other path joins the same link.
    harness.bringUp(.client, to: 2)
    #expect(harness.effects.announced == [LinkID(1)])
  }

  @Test("an attempt that meets the other side's own is nobody's failure")
  func crossing() {
    var harness = PolicyHarness()
    harness.see(2)
    harness.pass(.milliseconds(500))
    harness.bringUp(.server, to: 2)
    harness.act {
      $0.connectEnded(
        BLEDevice(PolicyHarness.adapter, BLEAddress(2)), because: .unreachable("crossed"), now: $1)
    }
    #expect(harness.policy.links.count == 1)
    #expect(harness.policy.devices[harness.device(2)]?.failures == 0)
    // Neither is it when nothing more comes of it: the link that is there stays.
    harness.see(3)
    #expect(harness.pass(.seconds(20)).disconnects.contains(harness.device(2)) == false)
  }

  @Test("an attempt not ready in time is ended and made again, with longer and longer pauses")
  func backOff() {
    var harness = PolicyHarness()
    var attempts: [Instant] = []
    for _ in 0..<600 {
      harness.see(2)
      if !harness.pass(.seconds(1)).connects.isEmpty { attempts.append(harness.now) }
    }
    let pauses = zip(attempts.dropFirst(), attempts).map { $0 - $1 }
    #expect(attempts.count > 10 && attempts.count < 40)
    #expect(pauses.first.map { $0 <= .seconds(18) } == true)
    #expect(pauses.allSatisfy { $0 <= .seconds(15 + 38) })
    #expect(harness.effects.disconnects.count >= attempts.count - 1)
  }

  @Test("a device that never answers does not keep another waiting")
  func othersGoOn() {
    var harness = PolicyHarness()
    var connected: Set<BLEDevice> = []
    for _ in 0..<600 {
      for address in 2...12 { harness.see(UInt64(address)) }
      connected.formUnion(harness.pass(.seconds(2)).connects)
    }
    #expect(connected.count == 11)
  }

  @Test("of hundreds of made-up addresses few are kept, and a known one is found among them")
  func flood() throws {
    var harness = PolicyHarness()
    let made = harness.link(to: 7)
    let link = try #require(made)
    harness.pass(.seconds(20))
    let path = try #require(harness.policy.links[link]?.client?.id)
    for address in 100..<500 { harness.see(UInt64(address)) }
    #expect(harness.policy.devices.count <= BLELimits.standard.devices)
    harness.act { $0.pathDown(path, because: "out of range", now: $1) }
    var waited = 0
    while !harness.effects.connects.contains(harness.device(7)), waited < 60 {
      harness.see(7)
      harness.pass(.seconds(1))
      waited += 1
    }
    #expect(waited <= 17, "after the attempt that is under way it is next")
  }

  @Test("a dropped device is connected to again at once, heard or not")
  func redial() throws {
    var harness = PolicyHarness()
    let made = harness.link(to: 2)
    let link = try #require(made)
    harness.pass(.seconds(60))
    let path = try #require(harness.policy.links[link]?.client?.id)
    let down = harness.act { $0.pathDown(path, because: "out of range", now: $1) }
    #expect(down.contains(.down(link, .lost("out of range"))), "told at once")
    #expect(harness.pass(.seconds(2)).connects == [harness.device(2)])
    // Unheard, it is tried for ten minutes, and scanning has most of the time.
    var attempts = 1
    for _ in 0..<60 { attempts += harness.pass(.seconds(10)).connects.count }
    #expect(attempts > 10 && attempts < 45)
    #expect(harness.pass(.seconds(600)).connects == [], "then a sighting is waited for")
    var effects = harness.see(2)
    effects += harness.pass(.seconds(2))
    #expect(effects.connects == [harness.device(2)])
  }

  @Test("a stale list of services is forgotten once; who is no AirLink device is left alone")
  func staleServices() {
    var harness = PolicyHarness()
    harness.see(2)
    harness.pass(.seconds(1))
    let device = harness.device(2)
    let first = harness.act { $0.connectEnded(device, because: .wrongLayout("none"), now: $1) }
    #expect(first.contains(.forget(device)))
    harness.see(2)
    #expect(harness.pass(.seconds(3)).connects == [device], "tried again soon")
    let second = harness.act { $0.connectEnded(device, because: .wrongLayout("none"), now: $1) }
    #expect(!second.contains(.forget(device)))
    var quiet = 0
    while harness.pass(.seconds(1)).connects.isEmpty, quiet < 200 {
      harness.see(2)
      quiet += 1
    }
    #expect((40...80).contains(quiet))
  }

  @Test("who breaks the rules is let in again after a minute")
  func penalty() throws {
    var harness = PolicyHarness()
    let made = harness.link(to: 2)
    let link = try #require(made)
    let effects = harness.act { $0.close(link, because: .misbehaved("garbage"), now: $1) }
    #expect(effects.contains(.down(link, .misbehaved("garbage"))))
    #expect(effects.disconnects == [harness.device(2)])
    harness.bringUp(.server, to: 2)
    #expect(harness.policy.links.isEmpty, "nor may it come by itself")
    harness.see(2)
    #expect(harness.pass(.seconds(50)).connects == [])
    harness.pass(.seconds(15))
    harness.bringUp(.server, to: 2)
    #expect(harness.policy.links.count == 1)
  }

  @Test("a link that shows no packet in half a minute is closed")
  func unproved() {
    var harness = PolicyHarness()
    harness.bringUp(.server, to: 2)
    #expect(harness.pass(.milliseconds(29_900)).disconnects == [])
    #expect(harness.pass(.seconds(1)).disconnects == [harness.device(2)])
  }

  @Test("who comes and goes without end is shut out for a while")
  func flapping() {
    var harness = PolicyHarness()
    for _ in 0..<40 {
      let path = harness.bringUp(.server, to: 2)
      harness.act { $0.pathDown(path, because: "unsubscribed", now: $1) }
      harness.pass(.milliseconds(100))
    }
    #expect(harness.effects.announced.count == BLELimits.standard.flaps)
  }

  @Test("an address that two controllers hear is linked through one")
  func twoControllers() {
    var harness = PolicyHarness()
    let second = AdapterID(2)
    harness.act {
      $0.adapterUp(second, BLEAdapter(name: "hci1", address: BLEAddress(9)), now: $1)
    }
    for _ in 0..<3 {
      harness.see(2)
      harness.act { $0.sighted(BLEDevice(second, BLEAddress(2)), now: $1) }
    }
    #expect(harness.pass(.seconds(3)).connects.count == 1)
    _ = harness.link(to: 2)
    harness.act { $0.sighted(BLEDevice(second, BLEAddress(2)), now: $1) }
    #expect(harness.pass(.seconds(30)).connects == [])
  }

  @Test("nobody is listened to but those on the list of a test")
  func allowList() {
    var harness = PolicyHarness(allowed: [BLEAddress(3)])
    harness.see(2)
    harness.see(3)
    #expect(harness.pass(.seconds(3)).connects == [harness.device(3)])
    harness.bringUp(.server, to: 2)
    #expect(harness.effects.disconnects == [harness.device(2)])
    #expect(harness.policy.links.isEmpty)
  }
}
