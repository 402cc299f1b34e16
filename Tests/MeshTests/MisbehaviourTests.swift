import Identity
import Mesh
import Testing
import Wire

@testable import Router

@Suite("links that misbehave") struct MisbehaviourTests {
  enum Fault: CaseIterable {
    case badLength, hopLimitOverKind, helloToOne, voiceToEveryone, badSignature
  }

  private func packet(
    _ fault: Fault, _ speaker: inout Speaker<ModelCryptography>, _ time: Timestamp
  )
    -> Packet
  {
    let hello = speaker.hello(at: time)
    let payload = Array(hello.payload)
    func make(
      _ kind: UInt8, hops: UInt8, to destination: Fingerprint, _ payload: [UInt8]
    ) -> Packet {
      Packet(
        unchecked: 1, kind: kind, hopLimit: hops, flags: 0, time: time, id: speaker.newID(),
        destination: destination, payload: payload)
    }
    return switch fault {
    case .badLength: make(2, hops: 7, to: .everyone, payload)
    case .hopLimitOverKind: make(1, hops: 3, to: .everyone, payload)
    case .helloToOne: make(1, hops: 2, to: speaker.fingerprint, payload)
    case .voiceToEveryone: make(3, hops: 1, to: .everyone, payload)
    case .badSignature: make(1, hops: 2, to: .everyone, payload)
    }
  }

  @Test(
    "the 65th packet within 10 s that no honest device lets pass closes its link, once",
    arguments: Fault.allCases)
  func closed(fault: Fault) {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var eve = Speaker(3)
    for _ in 0..<64 {
      test.pass(.milliseconds(156))
      #expect(test.receive(packet(fault, &eve, test.wallClock), on: 1).isEmpty)
    }
    let effects = test.receive(packet(fault, &eve, test.wallClock), on: 1)
    #expect(effects == [.close(LinkID(1), because: .misbehaved)])
    for _ in 0..<100 {
      #expect(test.receive(packet(fault, &eve, test.wallClock), on: 1).isEmpty)
    }
    #expect(test.hear(&eve, on: 1).isEmpty, "nothing more is taken from it")
    #expect(!test.hear(&eve, on: 2).isEmpty)
  }

  @Test("fewer of them, or slower, do not")
  func slower() {
    var test = TestMesh()
    test.up(1)
    var eve = Speaker(3)
    for _ in 0..<1_000 {
      test.pass(.milliseconds(157))
      #expect(test.receive(packet(.helloToOne, &eve, test.wallClock), on: 1).isEmpty)
    }
  }

  @Test("each link answers for itself")
  func separate() {
    var test = TestMesh()
    var eve = Speaker(3)
    for link in 1...10 as ClosedRange<UInt32> {
      test.up(link)
      for _ in 0..<64 {
        #expect(test.receive(packet(.badSignature, &eve, test.wallClock), on: link).closed.isEmpty)
      }
    }
  }

  /// What a relay of another version, or one under a flood, may pass on.
  @Test("what an honest device may send closes no link")
  func honest() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2)
    var closed: [LinkID] = []
    for _ in 0..<2_000 {
      let time = test.wallClock
      let voice = bob.voice(to: bob.fingerprint, at: time)
      for packet in [
        bob.hello(at: test.time(.seconds(-7 * 3_600))), bob.hello(at: test.time(.seconds(901))),
        bob.hello(at: time), bob.hello(at: time, hops: 1), bob.junk(to: .everyone, at: time),
        bob.junk(to: test.fingerprint, at: time), bob.junk(to: bob.fingerprint, at: time), voice,
        Packet(
          unchecked: 2, kind: 9, hopLimit: 15, flags: 255, time: time, id: bob.newID(),
          destination: .everyone, payload: []),
        Packet(
          unchecked: 1, kind: 9, hopLimit: 15, flags: 255, time: time, id: bob.newID(),
          destination: .everyone, payload: []),
      ] {
        closed += test.receive(packet, on: 1).closed
      }
      test.pass(.milliseconds(1))
    }
    #expect(closed.isEmpty)
  }

  /// The flood goes A → B → C: C has no reason to close B's link.
  @Test("an honest relay of a flood of rubbish is not closed by who is behind it")
  func honestRelay() {
    let net = TestNet<ModelCryptography>(seed: 3)
    let (relay, end) = (net.add(person: 1), net.add(person: 2))
    net.join(relay, end)
    let eve = net.add(person: 3)
    net.join(eve, relay)
    net.run(for: .seconds(3))
    var speaker = Speaker(4)
    let links = net.links(of: relay)
    for round in 0..<400 {
      for fault in Fault.allCases {
        let bad = packet(fault, &speaker, net.moment(relay).wallClock)
        for link in links.suffix(1) { net.inject(bad, into: relay, on: link) }
      }
      let good = speaker.hello(at: net.moment(relay).wallClock)
      for link in net.links(of: relay).suffix(1) { net.inject(good, into: relay, on: link) }
      net.run(for: .milliseconds(100 + round))
    }
    #expect(net[relay].effects.closed.count == 1, "the flooder's")
    #expect(net[end].effects.closed.isEmpty)
  }
}
