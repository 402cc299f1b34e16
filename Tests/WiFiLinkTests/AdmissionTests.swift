import Discovery
import Link
import Testing
import Wire

@testable import WiFiLink

@Suite struct AdmissionTests {
  @Test("a connection is told to those above with its first packet")
  func announcedWithPacket() {
    var harness = PolicyHarness()
    let link = harness.accept(from: .host(2, port: 1))
    #expect(harness.effects == [])
    #expect(harness.prove(link) == [.announce(link)])
    #expect(harness.prove(link) == [])
    #expect(harness.pass(.seconds(3_600)) == [])
  }

  @Test("one that waits for our word is told after a second")
  func announcedAfterSilence() {
    var harness = PolicyHarness()
    let link = harness.accept(from: .host(2, port: 1))
    #expect(harness.pass(.seconds(1) - .nanoseconds(1)) == [])
    #expect(harness.pass(.nanoseconds(1)) == [.announce(link)])
  }

  @Test("one without a packet for 30 s is closed, exactly then")
  func proofTimeout() {
    var harness = PolicyHarness()
    let link = harness.accept(from: .host(2, port: 1))
    harness.pass(.seconds(30) - .nanoseconds(1))
    #expect(harness.effects.closed == [])
    #expect(harness.pass(.nanoseconds(1)).closed == [link])
    #expect(harness.policy.links.entries.isEmpty)
  }

  @Test("a packet in the last moment is in time")
  func lastMoment() {
    var harness = PolicyHarness()
    let link = harness.accept(from: .host(2, port: 1))
    harness.pass(.seconds(30) - .nanoseconds(1))
    harness.prove(link)
    harness.pass(.seconds(3_600))
    #expect(harness.effects.closed == [])
  }

  @Test(
    "the one we dialled must show a packet too, and is left alone for a minute when it does not")
  func dialledProofTimeout() {
    var harness = PolicyHarness()
    let link = harness.connect(harness.see(PolicyHarness.higher).dials[0].id)
    #expect(harness.pass(.seconds(30)).closed == [link])
    #expect(harness.pass(.seconds(44)).dials.isEmpty)
    #expect(harness.pass(.seconds(32)).dials.count == 1)
  }

  @Test("hundreds of connections from one host make room for each other, not others for them")
  func perHost() {
    var harness = PolicyHarness()
    let honest = harness.accept(from: .host(3, port: 1))
    harness.prove(honest)
    let same = harness.accept(from: .host(2, port: 1))
    harness.prove(same)
    var flood: [LinkID] = []
    for port in 2...500 as ClosedRange<UInt16> {
      flood.append(harness.accept(from: .host(2, port: port)))
    }
    let limit = harness.policy.limits.acceptedPerHost
    #expect(harness.policy.links.entries.count == limit + 1)
    #expect(harness.effects.refused == flood.dropLast(limit - 1), "the oldest first")
    #expect(harness.policy.links[honest] != nil)
    #expect(harness.policy.links[same] != nil, "even of the same host, what has shown a packet")
  }

  @Test("a host whose connections all show packets gets no more than its share")
  func perHostProved() {
    var harness = PolicyHarness { $0.acceptedPerHost = 3 }
    for port in 1...3 as ClosedRange<UInt16> {
      harness.prove(harness.accept(from: .host(2, port: port)))
    }
    harness.forget()
    let fourth = harness.accept(from: .host(2, port: 4))
    #expect(harness.effects == [.refuse(fourth)])
    let other = harness.accept(from: .host(3, port: 4))
    #expect(harness.policy.links[other] != nil)
  }

  @Test("at the bound the oldest without a packet makes room")
  func totalBound() {
    var harness = PolicyHarness { $0.accepted = 3 }
    let links = (1...3).map { harness.accept(from: .host($0)) }
    harness.prove(links[0])
    harness.forget()
    let fourth = harness.accept(from: .host(4))
    #expect(harness.effects == [.refuse(links[1])])
    #expect(Set(harness.policy.links.entries.keys) == [links[0], links[2], fourth])
  }

  @Test("where all have shown packets the host with the most gives its youngest")
  func fairBound() {
    var harness = PolicyHarness { $0.accepted = 4 }
    let greedy = (1...3).map { harness.accept(from: .host(2, port: $0)) }
    let single = harness.accept(from: .host(3))
    for link in greedy + [single] { harness.prove(link) }
    harness.forget()
    let newcomer = harness.accept(from: .host(4))
    #expect(harness.effects == [.close(greedy[2], .lost("made room for another host"))])
    harness.prove(newcomer)
    harness.forget()
    harness.prove(harness.accept(from: .host(5)))
    #expect(harness.effects.closed == [greedy[1]])
    // One each: to let another in would only turn the tables.
    harness.forget()
    let late = harness.accept(from: .host(6))
    #expect(harness.effects == [.refuse(late)])
  }

  @Test("links that we dialled do not count against those who connect to us")
  func dialledDoNotCount() {
    var harness = PolicyHarness(peers: 1) { $0.accepted = 1 }
    harness.pass(.zero)
    let dial = harness.act { $0.lookedUp(peer: 0, [.host(2)], now: $1) }.dials[0].id
    let dialled = harness.connect(dial)
    let accepted = harness.accept(from: .host(3))
    #expect(Set(harness.policy.links.entries.keys) == [dialled, accepted])
  }

  @Test("a thousand idle connections from many hosts all stand, and nothing is polled for them")
  func thousandIdle() {
    var harness = PolicyHarness()
    for host in 2..<1_002 as Range<UInt32> { harness.prove(harness.accept(from: .host(host))) }
    #expect(harness.policy.links.entries.count == 1_000)
    #expect(harness.policy.nextDeadline == nil)
  }

  @Test("programs of this machine share its places, but keep no other host out")
  func thisMachine() {
    var harness = PolicyHarness { $0.accepted = 100 }
    let local = Endpoint.parsed("127.0.0.1")
    let own = (1...100).map { port in
      let link = harness.accept(from: .parsed("127.0.0.1", port: UInt16(port)), to: local)
      harness.prove(link)
      return link
    }
    #expect(harness.policy.links.entries.count == 100)
    let other = harness.accept(from: .host(2))
    #expect(harness.effects.closed == [own[99]])
    #expect(harness.policy.links[other] != nil)
  }

  @Test("counts stay right as links come and go")
  func counts() {
    var harness = PolicyHarness { $0.acceptedPerHost = 2 }
    for round in 0..<50 as Range<UInt16> {
      let link = harness.accept(from: .host(2, port: round + 1))
      #expect(harness.policy.links[link] != nil)
      harness.end(link)
      harness.end(link)
      #expect(harness.policy.links.acceptedCount == 0)
    }
  }

  @Test("without descriptors left the oldest that has shown nothing gives its own")
  func descriptors() {
    var harness = PolicyHarness()
    let proved = harness.accept(from: .host(2))
    harness.prove(proved)
    let (older, younger) = (harness.accept(from: .host(3)), harness.accept(from: .host(4)))
    let effects = harness.act { $0.descriptorsExhausted(now: $1) }
    #expect(effects == [.refuse(older)])
    harness.act { $0.descriptorsExhausted(now: $1) }
    #expect(Set(harness.policy.links.entries.keys) == [proved])
    #expect(harness.act { $0.descriptorsExhausted(now: $1) } == [])
    _ = younger
  }
}

@Suite struct TableBoundTests {
  @Test("no more services are kept than the bound, and what is linked stays")
  func services() {
    var harness = PolicyHarness { $0.services = 4 }
    let id = { InstanceID(value: 0x9000_0000_0000_0000 + $0) }
    let link = harness.connect(harness.see(id(0), at: [.host(2)]).dials[0].id)
    harness.prove(link)
    for number in 1..<200 as Range<UInt64> {
      harness.see(id(number), at: [.host(UInt32(number) + 2)])
      harness.pass(.milliseconds(100))
      #expect(harness.policy.targets.count <= 4)
    }
    #expect(harness.policy.targets.contains { $0.key == .service(id(0)) })
    #expect(harness.policy.targets.contains { $0.key == .service(id(199)) }, "the newest got in")
  }

  @Test("those announced no more, then those that failed most make room first")
  func victims() {
    var harness = PolicyHarness { $0.services = 3 }
    let ids = (0..<5).map { InstanceID(value: 0x9000_0000_0000_0000 + $0) }
    for (number, id) in ids.prefix(3).enumerated() {
      let dial = harness.see(id, at: [.host(UInt32(number) + 2)]).dials[0].id
      if number == 1 { harness.act { $0.dialFailed(dial, now: $1) } }
    }
    let gone = ServiceSighting.of(ids[2], .host(4), interface: 2)
    harness.act { $0.serviceGone(gone, now: $1) }
    harness.see(ids[3], at: [.host(9)])
    #expect(harness.policy.targets.map(\.key) == [ids[0], ids[1], ids[3]].map { .service($0) })
    harness.see(ids[4], at: [.host(10)])
    #expect(harness.policy.targets.map(\.key) == [ids[0], ids[3], ids[4]].map { .service($0) })
  }

  @Test("of one service no more addresses are kept than the bound")
  func addresses() {
    var target = DialTarget(.peer(0), dueAt: .zero)
    for number in 0..<100 as Range<UInt32> {
      target.remember(
        DialTarget.Place(endpoint: .host(number), interface: 0, sighting: nil), limit: 8)
    }
    #expect(target.places.map(\.endpoint) == (92..<100).reversed().map { .host($0) })
  }

  @Test("dials under way stay within the bound, and the others follow")
  func dials() {
    var harness = PolicyHarness(peers: 10) { $0.dials = 4 }
    harness.pass(.zero)
    for peer in 0..<10 {
      harness.act { $0.lookedUp(peer: peer, [.host(UInt32(peer) + 2)], now: $1) }
    }
    #expect(harness.effects.dials.count == 4)
    let first = harness.effects.dials
    for (index, dial) in first.enumerated() { harness.connect(dial.id, to: .host(UInt32(index))) }
    harness.pass(.seconds(1))
    #expect(harness.effects.dials.count == 8)
  }

  @Test("a flood of services is dialled at a bounded rate")
  func rate() {
    var harness = PolicyHarness()
    for number in 0..<500 as Range<UInt64> {
      let id = InstanceID(value: 0x9000_0000_0000_0000 + number)
      var new = harness.see(id, at: [.host(UInt32(number) + 2)])
      new += harness.pass(.milliseconds(20))
      for dial in new.dials { harness.act { $0.dialFailed(dial.id, now: $1) } }
    }
    // Ten seconds: the bucket's content and 20 a second.
    #expect(harness.effects.dials.count <= 64 + 200)
  }

  @Test("no more peers than the bound")
  func peers() {
    let harness = PolicyHarness(peers: 1_000)
    #expect(harness.policy.targets.count == 64)
  }

  @Test("whatever comes, tables stay bounded and the policy never asks for a wake in vain")
  func anything() {
    var generator = SplitMix64(seed: 0xA1)
    var harness = PolicyHarness(peers: 3) {
      $0.services = 5
      $0.accepted = 6
      $0.acceptedPerHost = 3
      $0.dials = 4
    }
    var open: [LinkID] = []
    for step in 0..<8_000 {
      let id = InstanceID(
        value: 0x9000_0000_0000_0000 + UInt64.random(in: 0..<12, using: &generator))
      let host = Endpoint.host(
        UInt32.random(in: 2..<9, using: &generator),
        port: UInt16.random(in: 1..<5, using: &generator))
      let sighting = ServiceSighting.of(
        id, host, interface: UInt32.random(in: 2..<5, using: &generator))
      let dials = harness.effects.dials.suffix(6)
      harness.forget()
      switch Int.random(in: 0..<14, using: &generator) {
      case 0: harness.act { $0.serviceSeen(sighting, now: $1) }
      case 1: harness.act { $0.serviceGone(sighting, now: $1) }
      case 2: harness.act { $0.resolved(sighting, at: host, now: $1) }
      case 3: harness.act { $0.resolved(sighting, at: nil, now: $1) }
      case 4: harness.act { $0.lookedUp(peer: Int(step % 4), [host, .host(9)], now: $1) }
      case 5: if let dial = dials.last { harness.act { $0.dialFailed(dial.id, now: $1) } }
      case 6: if let dial = dials.first { open.append(harness.connect(dial.id, to: dial.endpoint)) }
      case 7: open.append(harness.accept(from: host))
      case 8: if let link = open.randomElement(using: &generator) { harness.prove(link) }
      case 9: if let link = open.randomElement(using: &generator) { harness.end(link) }
      case 10:
        if let link = open.randomElement(using: &generator) { harness.end(link, .replaced) }
      case 11: harness.act { $0.resumed(now: $1) }
      case 12: if let link = open.randomElement(using: &generator) { harness.claim(link, 7) }
      default: harness.pass(.milliseconds(Int.random(in: 0..<4_000, using: &generator)))
      }
      let policy = harness.policy
      #expect(policy.targets.count <= 8 && policy.attemptCount <= 4)
      #expect(policy.links.acceptedCount <= 6)
      #expect(
        policy.links.acceptedCount == policy.links.entries.values.count { $0.isAccepted })
      #expect(Set(policy.targets.map(\.key)).count == policy.targets.count)
      for target in policy.targets {
        if case .linked(let link) = target.state { #expect(policy.links[link] != nil) }
        if case .held(let links) = target.state {
          #expect(!links.isEmpty && links.allSatisfy { policy.links[$0] != nil })
        }
      }
      if let deadline = policy.nextDeadline, deadline <= harness.now {
        var woken = policy
        woken.wake(now: harness.now)
        #expect(woken.nextDeadline.map { $0 > harness.now } ?? true)
      }
      open = open.suffix(40)
    }
  }
}
