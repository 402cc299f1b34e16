import Router
import Testing
import Wire

@Suite struct RouterRulesTests {
  // MARK: What goes where

  @Test("a packet for somebody else is relayed with a hop less, and with no more than six")
  func relayHopLimits() {
    for hopLimit in 1...15 as ClosedRange<UInt8> {
      var test = TestRouter()
      let decision = test.receive(.sealed(1, hopLimit: hopLimit))
      #expect(decision == (hopLimit == 1 ? .ended : .relayed(min(hopLimit, 7) - 1)))
    }
  }

  @Test("a sealed packet for us is delivered and never relayed", arguments: [1, 2, 15] as [UInt8])
  func forUs(hopLimit: UInt8) {
    var test = TestRouter()
    #expect(test.receive(.sealed(1, to: .own, hopLimit: hopLimit)) == .delivered)
  }

  @Test("a sealed packet to everyone is relayed, never opened")
  func sealedToEveryone() {
    var test = TestRouter()
    #expect(test.receive(.sealed(1, to: .everyone, hopLimit: 3)) == .relayed(2))
    #expect(test.receive(.sealed(2, to: .everyone, hopLimit: 1)) == .ended)
  }

  @Test("a hello is delivered, and relayed once over one hop")
  func hello() {
    var test = TestRouter()
    #expect(test.receive(.hello(1)) == .accept(deliver: true, relayHopLimit: 1))
    #expect(test.receive(.hello(2, hopLimit: 1)) == .delivered)
    #expect(test.verified == 2)
  }

  @Test("voice for us is delivered; voice for another goes nowhere")
  func voice() {
    var test = TestRouter()
    #expect(test.receive(.voice(1)) == .delivered)
    #expect(test.receive(.voice(2, to: .other)) == .drop(.voiceForAnother))
  }

  @Test("flags are of no account")
  func flags() {
    var test = TestRouter()
    #expect(test.receive(.raw(1, flags: 0xA5)) == .relayed(4))
    #expect(test.receive(.raw(1, flags: 0x5A), from: .b) == .copy)
  }

  // MARK: What is refused

  static let refused: [(Packet, Router.DropReason)] = [
    (.raw(1, version: 0), .otherVersion),
    (.raw(1, version: 2), .otherVersion),
    (.raw(1, version: 2, to: .own), .otherVersion),
    (.raw(1, kind: 0), .unknownKind),
    (.raw(1, kind: 4), .unknownKind),
    (.raw(1, kind: 255, to: .own), .unknownKind),
    (.raw(1, length: 303), .badLength),
    (.raw(1, length: 305), .badLength),
    (.raw(1, to: .own, length: 0), .badLength),
    (.raw(1, kind: 1, hopLimit: 1, to: .everyone, length: 128), .badLength),
    (.raw(1, kind: 1, hopLimit: 1, to: .everyone, length: 194), .badLength),
    (.raw(1, kind: 3, hopLimit: 1, to: .own, length: 20), .badLength),
    (.raw(1, kind: 3, hopLimit: 1, to: .own, length: 1_401), .badLength),
    (.raw(1, kind: 1, hopLimit: 3, to: .everyone, length: 129), .hopLimitOverKind),
    (.raw(1, kind: 1, hopLimit: 15, to: .everyone, length: 129), .hopLimitOverKind),
    (.raw(1, kind: 3, hopLimit: 2, to: .own, length: 80), .hopLimitOverKind),
    (.raw(1, kind: 1, hopLimit: 2, to: .own, length: 129), .helloToOne),
    (.raw(1, kind: 1, hopLimit: 2, to: .other, length: 129), .helloToOne),
    (.raw(1, kind: 3, hopLimit: 1, to: .everyone, length: 80), .voiceToEveryone),
    (.sealed(1, time: Timestamp.noon.advanced(by: .seconds(-21_601))), .tooOld),
    (.sealed(1, time: Timestamp.noon.advanced(by: .seconds(901))), .tooFarAhead),
    (.voice(1, to: .other), .voiceForAnother),
  ]

  @Test("what is refused is dropped for its reason, counted, and leaves no entry")
  func refusals() {
    for (packet, reason) in Self.refused {
      var test = TestRouter()
      #expect(test.receive(packet) == .drop(reason), "\(packet.header)")
      #expect(test.receive(packet, from: .b) == .drop(reason), "again: \(packet.header)")
      #expect(test.router.dropped(reason) == 2)
      #expect(test.statistic("dropped-\(reason.rawValue)") == 2)
      #expect(test.router.bounds.allSatisfy { $0.fill == 0 })
      #expect(test.verified == 0)
    }
  }

  @Test("a hello whose signature does not hold leaves no entry either")
  func badSignature() {
    var test = TestRouter()
    test.signatureHolds = false
    #expect(test.receive(.hello(1)) == .drop(.badSignature))
    #expect(test.fill("seen-packets") == 0)
    test.signatureHolds = true
    #expect(test.receive(.hello(1)) == .accept(deliver: true, relayHopLimit: 1))
    #expect(test.router.dropped(.badSignature) == 1)
  }

  @Test("nothing from a link that is not up is taken, except for a copy")
  func unknownLink() {
    var test = TestRouter()
    let stranger = LinkID(99)
    #expect(test.receive(.sealed(1), from: stranger) == .drop(.unknownLink))
    #expect(test.receive(.voice(2), from: stranger) == .drop(.unknownLink))
    #expect(test.receive(.sealed(3, to: .own), from: stranger) == .drop(.unknownLink))
    #expect(test.receive(.hello(4), from: stranger) == .drop(.unknownLink))
    test.router.linkDown(.a)
    #expect(test.receive(.sealed(1)) == .drop(.unknownLink))
    #expect(test.receive(.sealed(1), from: .b) == .relayed(4))
    #expect(test.receive(.sealed(1)) == .copy)
  }

  @Test("every reason to drop has a counter of its own")
  func counters() {
    let names = TestRouter().router.statistics.map(\.name)
    #expect(Set(names).count == names.count)
    for reason in Router.DropReason.allCases {
      #expect(names.contains("dropped-\(reason.rawValue)"))
    }
  }

  @Test("what is delivered, relayed and had already is counted")
  func counts() {
    var test = TestRouter()
    test.receive(.hello(1))
    test.receive(.hello(1))
    test.receive(.sealed(2))
    test.receive(.sealed(3, to: .own))
    #expect(test.statistic("delivered") == 2)
    #expect(test.statistic("relayed") == 2)
    #expect(test.statistic("duplicates") == 1)
  }

  @Test("hop limit at the origin, by the devices in direct range")
  func hopLimitAtOrigin() {
    let expected: [(ClosedRange<Int>, UInt8)] = [
      (0...5, 7), (6...10, 5), (11...20, 4), (21...2_000, 3),
    ]
    for (devices, hopLimit) in expected {
      for count in devices { #expect(Router.hopLimit(directDevices: count) == hopLimit) }
    }
  }
}
