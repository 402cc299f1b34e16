import Discovery
import Link
import Testing
import Wire

@testable import WiFiLink

@Suite struct DialDirectionTests {
  @Test("of two that see each other only the one with the lower id dials")
  func lowerDials() {
    var a = PolicyHarness(own: PolicyHarness.lower)
    var b = PolicyHarness(own: PolicyHarness.higher)
    #expect(a.see(PolicyHarness.higher).dials.count == 1)
    #expect(b.see(PolicyHarness.lower) == [])
    #expect(b.pass(.seconds(3_600)) == [])
  }

  @Test(
    "ids are compared as bytes, most significant first",
    arguments: [
      ("0000000000000001", "0100000000000000", true),
      ("00000000000000ff", "0000000000000100", true),
      ("ffffffffffffffff", "0000000000000000", false),
      ("7fffffffffffffff", "8000000000000000", true),
    ])
  func order(own: String, other: String, dials: Bool) throws {
    var harness = PolicyHarness(own: try #require(InstanceID(serviceName: own)))
    let id = try #require(InstanceID(serviceName: other))
    #expect(harness.see(id).dials.isEmpty == !dials)
  }

  @Test("our own name is not dialled")
  func ownName() {
    var harness = PolicyHarness()
    #expect(harness.see(PolicyHarness.own) == [])
  }

  @Test(
    "a name that is not exactly 16 hexadecimal digits is no service",
    arguments: [
      "", "9", "900000000000000", "90000000000000000", "g000000000000000", "9000000000000000 ",
      "９０００００００００００００００", "+900000000000000", "9000-0000-0000-0", "e\u{301}00000000000000",
    ])
  func hostileNames(name: String) {
    var harness = PolicyHarness()
    let sighting = ServiceSighting(type: .airlink, name: name, interface: 2, family: .v4)
    #expect(harness.act { $0.serviceSeen(sighting, now: $1) } == [])
    #expect(harness.act { $0.resolved(sighting, at: .host(2), now: $1) } == [])
    #expect(harness.act { $0.serviceGone(sighting, now: $1) } == [])
    #expect(harness.policy.targets.isEmpty)
  }

  @Test("upper-case digits are the same name")
  func upperCase() {
    let sighting = ServiceSighting(
      type: .airlink, name: "9ABCDEF000000000", interface: 2, family: .v4)
    var harness = PolicyHarness()
    #expect(harness.act { $0.serviceSeen(sighting, now: $1) } == [.resolve(sighting)])
  }

  @Test("after a new name of ours the other side may be the lower one")
  func renamed() {
    var harness = PolicyHarness()
    let dial = harness.see(PolicyHarness.higher).dials[0].id
    let highest = InstanceID(value: .max)
    let effects = harness.act { $0.renamed(to: highest, now: $1) }
    #expect(effects == [.cancel(dial)])
    #expect(harness.policy.targets.isEmpty)
    #expect(harness.see(PolicyHarness.higher) == [])
  }

  @Test("a link made before a new name of ours stays, and is not dialled again once it ends")
  func renamedWithLink() {
    var harness = PolicyHarness()
    let link = harness.connect(harness.see(PolicyHarness.higher).dials[0].id)
    #expect(harness.act { $0.renamed(to: InstanceID(value: .max), now: $1) } == [])
    harness.act { $0.ended(link, because: .lost("reset"), now: $1) }
    #expect(harness.pass(.seconds(3_600)) == [])
    #expect(harness.policy.targets.isEmpty)
  }

  @Test("a name that was ours is not dialled when the network still tells of it")
  func formerName() {
    var harness = PolicyHarness()
    harness.act { $0.renamed(to: PolicyHarness.lower, now: $1) }
    #expect(harness.see(PolicyHarness.own) == [])
    #expect(harness.see(PolicyHarness.higher).dials.count == 1)
  }

  @Test("named peers are dialled whatever their id")
  func namedPeers() {
    var harness = PolicyHarness(peers: 2)
    #expect(harness.pass(.zero).lookUps == [0, 1])
    let effects = harness.act { $0.lookedUp(peer: 1, [.host(7)], now: $1) }
    #expect(effects.endpoints == [.host(7)])
  }

  @Test("a connection of this node to itself is closed at both ends and not made again")
  func ourselves() {
    for acceptedFirst in [true, false] {
      var harness = PolicyHarness(peers: 1)
      harness.pass(.zero)
      let dial = harness.act { $0.lookedUp(peer: 0, [.host(1)], now: $1) }.dials[0].id
      let (dialled, accepted) = (harness.link(), harness.link())
      let local = Endpoint.host(1, port: 50_000)
      let remote = Endpoint.host(1)
      harness.forget()
      if acceptedFirst {
        harness.act { $0.accepted(accepted, local: remote, remote: local, now: $1) }
        harness.act { $0.dialled(dial, dialled, local: local, remote: remote, now: $1) }
        #expect(harness.effects == [.refuse(dialled), .refuse(accepted), .tellOurselves(peer: 0)])
      } else {
        harness.act { $0.dialled(dial, dialled, local: local, remote: remote, now: $1) }
        harness.act { $0.accepted(accepted, local: remote, remote: local, now: $1) }
        #expect(
          harness.effects == [
            .announce(dialled), .refuse(accepted),
            .close(dialled, .lost("this node dialled itself")), .tellOurselves(peer: 0),
          ])
      }
      #expect(harness.pass(.seconds(3_600)) == [])
      #expect(harness.policy.links.entries.isEmpty)
      // Another machine may have that address later.
      #expect(harness.act { $0.networkChanged(.sample, now: $1) }.lookUps == [0])
    }
  }
}

extension NetworkSnapshot {
  /// eth0 with 10.0.0.1/24 and fe80::1/64, and loopback.
  static let sample = NetworkSnapshot(
    addresses: [
      Address(.v4(0x7F00_0001), prefixLength: 8, interface: 1),
      Address(.v4(0x0A00_0001), prefixLength: 24, interface: 2),
      Address(Endpoint.parsed("fe80::1", scope: 2).address, prefixLength: 64, interface: 2),
    ], running: [1, 2])
}
