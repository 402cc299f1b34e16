import Router
import Testing
import Wire

/// What is known for a copy, and what a copy still brings about.
@Suite struct RouterCopyTests {
  @Test("a copy with another hop limit, other flags and so another CRC is a copy")
  func sameContent() {
    var test = TestRouter()
    test.receive(.sealed(1, hopLimit: 7))
    #expect(test.receive(Packet(.sealed(1), hopLimit: 3), from: .b) == .copy)
    #expect(test.receive(.raw(1, flags: 0xFF), from: .c) == .copy)
  }

  @Test("another time, destination, kind, length or payload under one id is another packet")
  func otherContent() {
    var test = TestRouter()
    test.receive(.sealed(1))
    let later = Timestamp.noon.advanced(by: .milliseconds(1))
    #expect(test.receive(.sealed(1, time: later)) == .relayed(4))
    #expect(test.receive(.sealed(1, to: .everyone)) == .relayed(4))
    #expect(test.receive(.sealed(1, filled: 1)) == .relayed(4))
    #expect(test.receive(.sealed(1, length: 560)) == .relayed(4))
    #expect(test.receive(.hello(1)) == .accept(deliver: true, relayHopLimit: 1))
    #expect(test.receive(.sealed(1)) == .copy)
  }

  @Test("junk sent ahead under a genuine packet's id keeps nothing of it back")
  func junkAhead() {
    var test = TestRouter()
    for byte in 1...200 as ClosedRange<UInt8> {
      test.receive(.sealed(1, to: .own, filled: byte), from: .a)
      test.receive(.sealed(2, filled: byte), from: .a)
    }
    #expect(test.receive(.sealed(1, to: .own), from: .b) == .delivered)
    #expect(test.receive(.sealed(2), from: .b) == .relayed(4))
    #expect(test.receive(.sealed(1, to: .own), from: .c) == .copy)
    #expect(test.receive(.sealed(2), from: .c) == .copy)
  }

  @Test("a packet first seen without hops is relayed when a copy has some, and only once")
  func lateRelay() {
    var test = TestRouter()
    #expect(test.receive(.sealed(1, hopLimit: 1), from: .a) == .ended)
    #expect(test.receive(.sealed(1, hopLimit: 1), from: .b) == .copy)
    #expect(
      test.receive(.sealed(1, hopLimit: 15), from: .c) == .duplicate(.init(relayHopLimit: 6)))
    #expect(test.receive(.sealed(1, hopLimit: 15), from: .a) == .copy)
    #expect(test.statistic("relayed") == 1)
  }

  @Test("a hello first heard without hops is relayed late, but not delivered or verified again")
  func lateHello() {
    var test = TestRouter()
    #expect(test.receive(.hello(1, hopLimit: 1), from: .a) == .delivered)
    #expect(
      test.receive(.hello(1), from: .b)
        == .duplicate(.init(isHelloAtFullHops: true, relayHopLimit: 1)))
    #expect(test.receive(.hello(1), from: .c) == .duplicate(.init(isHelloAtFullHops: true)))
    #expect(test.verified == 1)
  }

  @Test("a late relay costs the link its token; without one a later copy does it")
  func lateRelayOverShare() {
    var test = TestRouter()
    test.receive(.sealed(1, hopLimit: 1), from: .a)
    test.exhaust(.b)
    #expect(test.receive(.sealed(1), from: .b) == .copy)
    #expect(test.router.dropped(.overShare) == 1)
    #expect(test.receive(.sealed(1), from: LinkID(99)) == .copy)
    #expect(test.receive(.sealed(1), from: .c) == .duplicate(.init(relayHopLimit: 4)))
    #expect(test.receive(.sealed(1), from: .a) == .copy)
  }

  @Test("what has grown too old since it was seen is not relayed late")
  func lateRelayTooOld() {
    var test = TestRouter()
    let packet = Packet.sealed(1, time: Timestamp.noon.advanced(by: .seconds(-21_590)))
    test.receive(Packet(packet, hopLimit: 1), from: .a)
    test.wallClock = Timestamp.noon.advanced(by: .seconds(11))
    #expect(test.receive(packet, from: .b) == .copy)
    #expect(test.router.dropped(.tooOld) == 1)
    test.wallClock = Timestamp.noon.advanced(by: .seconds(10))
    #expect(test.receive(packet, from: .b) == .duplicate(.init(relayHopLimit: 4)))
  }

  @Test("a hello's copy with more hops than a hello may have is not relayed late")
  func lateRelayOverKind() {
    var test = TestRouter()
    test.receive(.hello(1, hopLimit: 1))
    let copy = Packet.raw(1, kind: 1, hopLimit: 3, to: .everyone, length: 129)
    #expect(test.receive(copy, from: .b) == .copy)
    #expect(test.router.dropped(.hopLimitOverKind) == 1)
  }

  @Test("what is for us is never relayed, however many hops a copy has")
  func forUsNever() {
    var test = TestRouter()
    test.receive(.sealed(1, to: .own, hopLimit: 1))
    #expect(test.receive(.sealed(1, to: .own, hopLimit: 15), from: .b) == .copy)
  }

  @Test("a hello's copy straight from its sender is told, one over a relay is not")
  func helloCopies() {
    var test = TestRouter()
    test.receive(.hello(1), from: .a)
    #expect(test.receive(.hello(1), from: .b) == .duplicate(.init(isHelloAtFullHops: true)))
    #expect(test.receive(.hello(1, hopLimit: 1), from: .c) == .copy)
  }

  @Test("a copy of voice is told with the link it came in on")
  func voiceCopies() {
    var test = TestRouter()
    test.receive(.voice(1), from: .a)
    #expect(test.receive(.voice(1), from: .b) == .duplicate(.init(isVoice: true)))
  }

  @Test("own packets are known when they come back, and are nobody's hello")
  func ownPackets() {
    var test = TestRouter()
    test.router.noteOwn(.hello(1), now: test.now)
    test.router.noteOwn(.sealed(2, hopLimit: 1), now: test.now)
    #expect(test.receive(.hello(1)) == .copy)
    #expect(test.receive(.hello(1, hopLimit: 1)) == .copy)
    #expect(test.receive(.sealed(2, hopLimit: 15)) == .copy)
    #expect(test.verified == 0)
    test.router.noteOwn(.hello(1), now: test.now)
    #expect(test.fill("seen-packets") == 2)
    test.router.noteOwn(.voice(3, to: .other), now: test.now)
    #expect(test.fill("seen-voice") == 0)
  }

  @Test("a packet shed unopened is taken for new when a copy comes")
  func forget() {
    var test = TestRouter()
    let packet = Packet.sealed(1, to: .own)
    #expect(test.receive(packet, from: .a) == .delivered)
    test.router.forget(packet.view)
    #expect(test.receive(packet, from: .b) == .delivered)
    #expect(test.receive(packet, from: .a) == .copy)
    test.router.forget(Packet.sealed(7, to: .own).view)
    #expect(test.receive(packet, from: .a) == .copy)
  }
}
