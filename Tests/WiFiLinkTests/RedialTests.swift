import Discovery
import Link
import Testing
import Wire

@testable import WiFiLink

@Suite struct RedialTests {
  /// A policy with one proved link to a service that it dialled.
  private func linked(
    _ change: (inout WiFiLimits) -> Void = { _ in }
  ) -> (PolicyHarness, LinkID) {
    var harness = PolicyHarness(change)
    harness.act { $0.networkChanged(.sample, now: $1) }
    let link = harness.connect(harness.see(PolicyHarness.higher).dials[0].id)
    harness.prove(link)
    harness.forget()
    return (harness, link)
  }

  @Test("a peer that walked away is dialled again, for as long as it is announced")
  func redialled() {
    var (harness, link) = linked()
    harness.pass(.seconds(60))
    harness.act { $0.ended(link, because: .lost("timed out"), now: $1) }
    var rounds = 0
    for _ in 0..<600 {
      for dial in harness.pass(.seconds(1)).dials {
        rounds += 1
        harness.act { $0.dialFailed(dial.id, now: $1) }
      }
    }
    #expect(rounds > 600 / 19 && rounds < 600 / 11)
  }

  @Test("a removal neither closes a live link nor ends the dialling at once")
  func removal() {
    var (harness, link) = linked()
    let sighting = ServiceSighting.of(PolicyHarness.higher, .host(2), interface: 2)
    #expect(harness.act { $0.serviceGone(sighting, now: $1) } == [])
    #expect(harness.pass(.seconds(3_600)) == [])
    harness.act { $0.ended(link, because: .lost("reset"), now: $1) }
    #expect(harness.pass(.seconds(2)).endpoints == [.host(2)], "at the address it had")
    harness.pass(.seconds(597))
    #expect(harness.policy.targets.count == 1)
    harness.pass(.seconds(1))
    #expect(harness.policy.targets.isEmpty)
    #expect(harness.policy.nextDeadline == nil)
  }

  @Test("a service that comes back within ten minutes is not forgotten")
  func comesBack() {
    var harness = PolicyHarness()
    let dial = harness.see(PolicyHarness.higher).dials[0]
    harness.act { $0.dialFailed(dial.id, now: $1) }
    let sighting = ServiceSighting.of(PolicyHarness.higher, .host(2), interface: 2)
    harness.act { $0.serviceGone(sighting, now: $1) }
    harness.pass(.seconds(599))
    harness.see(PolicyHarness.higher)
    harness.pass(.seconds(3_600))
    #expect(harness.policy.targets.count == 1)
  }

  @Test("news of a service end its pause, though not more than once a second")
  func newsEndPause() {
    var harness = PolicyHarness()
    for _ in 0..<8 {
      for dial in harness.see(PolicyHarness.higher).dials {
        harness.act { $0.dialFailed(dial.id, now: $1) }
      }
      harness.pass(.seconds(30))
      for dial in harness.effects.dials { harness.act { $0.dialFailed(dial.id, now: $1) } }
    }
    harness.pass(.seconds(3))
    // A flood of comings and goings.
    let sighting = ServiceSighting.of(PolicyHarness.higher, .host(2), interface: 9)
    harness.forget()
    for _ in 0..<1_000 {
      harness.act { $0.serviceSeen(sighting, now: $1) }
      harness.act { $0.resolved(sighting, at: .host(2), now: $1) }
      for dial in harness.effects.dials { harness.act { $0.dialFailed(dial.id, now: $1) } }
      harness.act { $0.serviceGone(sighting, now: $1) }
      harness.pass(.milliseconds(10))
    }
    #expect((9...12).contains(harness.effects.dials.count))
  }

  @Test("resume dials everything at once and probes what is there")
  func resume() {
    var (harness, link) = linked()
    let other = InstanceID(value: .max)
    for dial in harness.see(other, at: [.host(3)]).dials {
      harness.act { $0.dialFailed(dial.id, now: $1) }
    }
    harness.forget()
    let effects = harness.act { $0.resumed(now: $1) }
    #expect(effects.contains(.probe(link)))
    #expect(effects.endpoints == [.host(3)])
    #expect(harness.pass(.seconds(15)).contains(.settle(link)))
  }

  @Test("resume cancels what hangs on roads that may be gone")
  func resumeCancels() {
    var harness = PolicyHarness()
    let dial = harness.see(PolicyHarness.higher).dials[0]
    harness.pass(.seconds(2))
    let effects = harness.act { $0.resumed(now: $1) }
    #expect(effects.first == .cancel(dial.id))
    #expect(effects.endpoints == [.host(2)])
  }

  @Test("a link whose address vanished is closed, and only that")
  func addressGone() {
    var (harness, link) = linked()
    let other = harness.accept(from: .parsed("fe80::2", scope: 2), to: .parsed("fe80::1", scope: 2))
    harness.prove(other)
    harness.forget()
    var network = NetworkSnapshot.sample
    network.addresses = network.addresses.filter { $0.address != .v4(0x0A00_0001) }
    harness.act { $0.networkChanged(network, now: $1) }
    #expect(harness.effects.closed == [link])
    #expect(harness.pass(.seconds(1)).endpoints == [.host(2)], "and dialled again by what is left")
  }

  @Test("an address that moved to another interface is not gone")
  func addressMoved() {
    var (harness, _) = linked()
    var network = NetworkSnapshot.sample
    network.addresses = network.addresses.filter { $0.address != .v4(0x0A00_0001) }
    network.addresses.insert(.init(.v4(0x0A00_0001), prefixLength: 24, interface: 5))
    harness.act { $0.networkChanged(network, now: $1) }
    #expect(harness.effects.closed == [])
  }

  @Test("a carrier that comes back ends every pause and probes the links")
  func carrier() {
    var (harness, link) = linked()
    let other = InstanceID(value: .max)
    for _ in 0..<6 {
      for dial in harness.see(other, at: [.host(3)]).dials {
        harness.act { $0.dialFailed(dial.id, now: $1) }
      }
      for dial in harness.pass(.seconds(20)).dials {
        harness.act { $0.dialFailed(dial.id, now: $1) }
      }
    }
    var network = NetworkSnapshot.sample
    network.running = [1]
    harness.forget()
    harness.act { $0.networkChanged(network, now: $1) }
    #expect(harness.effects == [], "no carrier is no news to act on")
    harness.act { $0.networkChanged(.sample, now: $1) }
    harness.pass(.seconds(1))
    #expect(harness.effects.contains(.probe(link)))
    #expect(harness.effects.endpoints == [.host(3)])
  }

  @Test("the same interfaces told again are no news")
  func sameNetwork() {
    var (harness, _) = linked()
    harness.act { $0.networkChanged(.sample, now: $1) }
    #expect(harness.effects == [])
  }

  @Test("who broke the rules is dialled again after a minute")
  func penalty() {
    var (harness, link) = linked()
    harness.act { $0.ended(link, because: .misbehaved("garbage"), now: $1) }
    #expect(harness.pass(.seconds(44)).dials.isEmpty)
    #expect(harness.pass(.seconds(32)).endpoints == [.host(2)])
  }

  @Test("links that end again and again soon are made less and less often")
  func shortLived() {
    var (harness, link) = linked()
    for _ in 0..<8 {
      harness.act { $0.ended(link, because: .lost("reset"), now: $1) }
      while harness.pass(.seconds(1)).dials.isEmpty {}
      link = harness.connect(harness.effects.dials[harness.effects.dials.count - 1].id)
      harness.prove(link)
    }
    harness.act { $0.ended(link, because: .lost("reset"), now: $1) }
    #expect(harness.pass(.seconds(11)).dials.isEmpty)
    #expect(harness.pass(.seconds(8)).dials.count == 1)
  }
}
