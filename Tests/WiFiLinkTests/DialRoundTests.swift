import Discovery
import Link
import Testing
import Wire

@testable import WiFiLink

@Suite struct DialRoundTests {
  @Test("that a named peer cannot be reached is told once, and anew after each link")
  func toldUnreachable() {
    var harness = PolicyHarness(peers: 2)
    func told(_ effects: [WiFiEffect]) -> [WiFiEffect] {
      effects.filter { if case .tellUnreachable = $0 { true } else { false } }
    }
    harness.pass(.zero)
    #expect(
      told(harness.act { $0.lookedUp(peer: 0, [], now: $1) })
        == [.tellUnreachable(peer: 0, isFound: false)])
    let dial = harness.act { $0.lookedUp(peer: 1, [.host(2)], now: $1) }.dials[0].id
    let failing = harness.act { $0.dialFailed(dial, now: $1) }
    #expect(told(failing) == [.tellUnreachable(peer: 1, isFound: true)])
    harness.forget()
    // Both go on failing for five minutes, then the second one answers.
    func tryOn(for seconds: Int, linking: Bool) -> LinkID? {
      for _ in 0..<seconds {
        for effect in harness.pass(.seconds(1)) {
          switch effect {
          case .lookUp(let peer): harness.act { $0.lookedUp(peer: peer, [], now: $1) }
          case .dial(let dial, _, _):
            if linking { return harness.connect(dial) }
            harness.act { $0.dialFailed(dial, now: $1) }
          default: break
          }
        }
      }
      return nil
    }
    _ = tryOn(for: 300, linking: false)
    let linked = tryOn(for: 60, linking: true)
    #expect(told(harness.effects) == [])
    harness.forget()
    guard let linked else {
      Issue.record("never linked")
      return
    }
    harness.act { $0.ended(linked, because: .lost("gone"), now: $1) }
    _ = tryOn(for: 60, linking: false)
    #expect(told(harness.effects) == [.tellUnreachable(peer: 1, isFound: true)])
  }

  @Test("a dial not ready in ten seconds is cancelled, exactly then")
  func timeout() {
    var harness = PolicyHarness()
    let dial = harness.see(PolicyHarness.higher).dials[0].id
    #expect(harness.pass(.seconds(10) - .nanoseconds(1)) == [])
    #expect(harness.pass(.nanoseconds(1)) == [.cancel(dial)])
  }

  @Test("a target is tried again after one second and a quarter at most, and then less often")
  func backOff() {
    var pauses: [Duration] = []
    var harness = PolicyHarness(peers: 1)
    for _ in 0..<8 {
      let start = harness.now
      while harness.pass(.milliseconds(1)).lookUps.isEmpty {}
      pauses.append(harness.now - start)
      harness.act { $0.lookedUp(peer: 0, [.host(2)], now: $1) }
      let dials = harness.effects.dials
      harness.act { $0.dialFailed(dials[dials.count - 1].id, now: $1) }
    }
    pauses.removeFirst()
    let expected = [1, 2, 4, 8, 15, 15, 15]
    for (pause, seconds) in zip(pauses, expected) {
      #expect(pause >= .milliseconds(seconds * 750))
      #expect(pause <= .milliseconds(seconds * 1_250 + 1))
    }
    #expect(Set(pauses.suffix(3)).count > 1, "pauses of one length differ by their jitter")
  }

  @Test("the pauses of two nodes are not the same")
  func jitter() {
    let pauses = (1...20).map { seed in
      var backoff = Backoff(
        first: .seconds(1), maximum: .seconds(15), random: SplitMix64(seed: UInt64(seed)))
      return backoff.pause(afterFailures: 1)
    }
    #expect(Set(pauses).count > 10)
    #expect(pauses.allSatisfy { $0 >= .milliseconds(750) && $0 <= .milliseconds(1_250) })
  }

  @Test("no number of failures makes a pause over its bound", arguments: [0, 1, 31, 64, Int.max])
  func backOffBounds(failures: Int) {
    var backoff = Backoff(
      first: .seconds(1), maximum: .seconds(15), random: SplitMix64(seed: 3))
    let pause = backoff.pause(afterFailures: failures)
    #expect(pause >= .milliseconds(750) && pause <= .milliseconds(18_750))
  }

  @Test("several addresses are tried beside each other, a quarter of a second apart")
  func stagger() {
    var harness = PolicyHarness(peers: 1)
    harness.pass(.zero)
    let all = (2...6).map { Endpoint.host($0) }
    harness.act { $0.lookedUp(peer: 0, all, now: $1) }
    #expect(harness.effects.endpoints == [all[0]])
    #expect(harness.pass(.milliseconds(249)) == [])
    #expect(harness.pass(.milliseconds(1)).endpoints == [all[1]])
    #expect(harness.pass(.milliseconds(500)).endpoints == [all[2], all[3]])
    #expect(harness.pass(.seconds(2)) == [], "no more than four at once")
    let first = harness.effects.dials[0].id
    #expect(harness.act { $0.dialFailed(first, now: $1) }.endpoints == [all[4]])
  }

  @Test("a refused address makes way for the next at once")
  func refusedMakesWay() {
    var harness = PolicyHarness(peers: 1)
    harness.pass(.zero)
    harness.act { $0.lookedUp(peer: 0, [.host(2), .host(3)], now: $1) }
    let first = harness.effects.dials[0].id
    #expect(harness.act { $0.dialFailed(first, now: $1) }.endpoints == [.host(3)])
  }

  @Test("whichever address is ready first is the link, and the others are cancelled")
  func firstWins() {
    var harness = PolicyHarness(peers: 1)
    harness.pass(.zero)
    harness.act { $0.lookedUp(peer: 0, [.host(2), .host(3)], now: $1) }
    harness.pass(.milliseconds(250))
    let dials = harness.effects.dials
    harness.forget()
    let link = harness.connect(dials[1].id, to: .host(3))
    #expect(harness.effects == [.cancel(dials[0].id), .announce(link)])
    // The other one was ready in the same moment.
    let late = harness.connect(dials[0].id)
    #expect(harness.effects.last == .refuse(late))
    #expect(harness.policy.links.entries.count == 1)
    // Nothing of this goes on.
    harness.prove(link)
    #expect(harness.pass(.seconds(3_600)) == [])
  }

  @Test("the address that was good last is tried first")
  func lastGoodFirst() {
    var harness = PolicyHarness(peers: 1)
    harness.pass(.zero)
    let both = [Endpoint.host(2), .host(3)]
    harness.act { $0.lookedUp(peer: 0, both, now: $1) }
    harness.pass(.milliseconds(250))
    let link = harness.connect(harness.effects.dials[1].id, to: .host(3))
    harness.act { $0.ended(link, because: .lost("reset"), now: $1) }
    harness.forget()
    harness.pass(.milliseconds(1_300))
    #expect(harness.effects.endpoints.first == .host(3))
  }

  @Test("addresses of the network come before those of one cable, IPv6 before IPv4")
  func order() {
    let texts = ["169.254.1.1", "10.0.0.9", "fe80::9", "fd00::9", "::1", "10.0.0.1"]
    var places = texts.map {
      DialTarget.Place(endpoint: .parsed($0, scope: 2), interface: 2, sighting: nil)
    }
    places.sortForDialling(lastGood: nil, network: .sample)
    #expect(
      places.map(\.endpoint.address.withoutScope) == [
        "::1", "10.0.0.1", "fd00::9", "10.0.0.9", "fe80::9", "169.254.1.1",
      ])
    places.sortForDialling(lastGood: .parsed("169.254.1.1"), network: .sample)
    #expect(places.first?.endpoint == .parsed("169.254.1.1"))
  }

  @Test("an IPv4 link-local address is dialled on the interface it was found on, IPv6 by its scope")
  func linkLocalInterface() {
    var harness = PolicyHarness()
    harness.act { $0.networkChanged(.sample, now: $1) }
    let effects = harness.see(
      PolicyHarness.higher, at: [.parsed("169.254.7.7")], interface: 2)
    #expect(
      effects.contains { if case .dial(_, _, interface: 2) = $0 { true } else { false } })
    let v6 = harness.see(
      PolicyHarness.higher, at: [.parsed("fe80::7", scope: 3)], interface: 3)
    harness.pass(.milliseconds(250))
    #expect(v6.endpoints == [])
    #expect(
      harness.effects.contains {
        if case .dial(_, let endpoint, interface: 0) = $0 {
          endpoint == .parsed("fe80::7", scope: 3)
        } else {
          false
        }
      })
  }

  @Test("a service seen on many interfaces is one link")
  func oneLink() {
    var harness = PolicyHarness()
    let dial = harness.see(PolicyHarness.higher, at: [.host(2)], interface: 2).dials[0].id
    let link = harness.connect(dial)
    harness.prove(link)
    for interface in 3..<40 as Range<UInt32> {
      let effects = harness.see(
        PolicyHarness.higher, at: [.host(interface), .parsed("fe80::2", scope: interface)],
        interface: interface)
      #expect(effects == [])
    }
    #expect(harness.pass(.seconds(3_600)) == [])
    #expect(
      harness.policy.targets[0].sightings.count
        == harness.policy.limits.sightingsPerService)
  }

  @Test("the second name of a door that is open already is not knocked at")
  func coveredByOtherTarget() {
    var harness = PolicyHarness(peers: 1)
    harness.pass(.zero)
    let dial = harness.act { $0.lookedUp(peer: 0, [.host(2)], now: $1) }.dials[0].id
    #expect(harness.see(PolicyHarness.higher, at: [.host(2)]).dials.isEmpty, "under way")
    let link = harness.connect(dial)
    harness.prove(link)
    harness.forget()
    harness.pass(.seconds(600))
    #expect(harness.effects.dials.isEmpty, "open")
    harness.act { $0.ended(link, because: .lost("reset"), now: $1) }
    harness.forget()
    harness.pass(.seconds(2))
    #expect(harness.effects.endpoints == [.host(2)])
  }

  @Test("an answer that does not come is not waited for longer than ten seconds")
  func noAnswer() {
    var harness = PolicyHarness(peers: 1)
    #expect(harness.pass(.seconds(10)).lookUps == [0])
    #expect(harness.pass(.seconds(2)).lookUps == [0])
    // An answer that comes late is kept for the next time.
    harness.pass(.seconds(10))
    harness.act { $0.lookedUp(peer: 0, [.host(2)], now: $1) }
    #expect(harness.pass(.seconds(5)).endpoints == [.host(2)])
  }

  @Test("a service that cannot be found out is asked about again")
  func unresolved() {
    var harness = PolicyHarness()
    let sighting = ServiceSighting.of(PolicyHarness.higher, .host(2), interface: 2)
    #expect(harness.act { $0.serviceSeen(sighting, now: $1) } == [.resolve(sighting)])
    #expect(harness.act { $0.resolved(sighting, at: nil, now: $1) } == [])
    #expect(harness.pass(.milliseconds(1_250)) == [.resolve(sighting)])
    #expect(harness.act { $0.resolved(sighting, at: .host(2), now: $1) }.dials.count == 1)
  }

  @Test(
    "a neighbour cannot send us to the internet, to a group or to nowhere",
    arguments: [
      "8.8.8.8", "224.0.0.251", "255.255.255.255", "0.0.0.0", "240.0.0.1", "ff02::fb", "::",
      "2001:db8::1",
    ])
  func hostileAddresses(address: String) {
    var harness = PolicyHarness()
    harness.act { $0.networkChanged(.sample, now: $1) }
    #expect(harness.see(PolicyHarness.higher, at: [.parsed(address)]).dials.isEmpty)
    #expect(harness.pass(.seconds(60)).dials.isEmpty)
  }

  @Test("a public address of our own network may be dialled")
  func onLink() {
    var harness = PolicyHarness()
    var network = NetworkSnapshot.sample
    network.addresses.insert(
      .init(Endpoint.parsed("2001:db8::5").address, prefixLength: 64, interface: 2))
    harness.act { $0.networkChanged(network, now: $1) }
    let endpoint = Endpoint.parsed("2001:db8::99")
    #expect(harness.see(PolicyHarness.higher, at: [endpoint]).endpoints == [endpoint])
  }

  @Test("port 0 is nowhere")
  func portZero() {
    var harness = PolicyHarness()
    #expect(harness.see(PolicyHarness.higher, at: [.host(2, port: 0)]).dials.isEmpty)
  }
}
