import Identity
import Mesh
import Testing
import Wire

@Suite("opening in turns") struct OpeningTests {
  @Test("nothing is opened as it comes in: each call opens one")
  func oneACall() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2)
    #expect(!test.mesh.hasWork)
    for _ in 0..<3 { test.take(bob.text("hello", to: test.keys, at: test.wallClock), on: 1) }
    for shown in 1...3 {
      #expect(test.mesh.hasWork)
      test.mesh.work(at: test.moment)
      #expect(test.mesh.takeEffects().texts.count == 1, "\(shown)")
    }
    #expect(!test.mesh.hasWork)
    test.mesh.work(at: test.moment)
    #expect(test.mesh.takeEffects().isEmpty)
  }

  @Test("a flood on one link delays another by a packet a turn, no more", arguments: [1, 2, 3])
  func turns(honest: UInt32) throws {
    var test = TestMesh()
    for link in 1...3 as ClosedRange<UInt32> { test.up(link) }
    let flooder = honest % 3 + 1
    var eve = Speaker(3)
    var bob = Speaker(2)
    for _ in 0..<1_000 {
      test.take(eve.junk(to: test.fingerprint, at: test.wallClock), on: flooder)
    }
    for index in 0..<20 {
      test.take(bob.text("\(index)", to: test.keys, at: test.wallClock), on: honest)
    }
    // The flood goes on meanwhile.
    var texts: [String] = []
    for _ in 0..<40 {
      test.mesh.work(at: test.moment)
      texts += test.mesh.takeEffects().texts
      test.take(eve.junk(to: test.fingerprint, at: test.wallClock), on: flooder)
    }
    #expect(texts == (0..<20).map { "\($0)" })
  }

  @Test(
    "1,024 wait for one link; what is shed is forgotten, and opened when another link brings it")
  func shed() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2)
    let packets = (0..<1_026).map {
      bob.text("\($0)", to: test.keys, at: test.wallClock)
    }
    for packet in packets { test.take(packet, on: 1) }
    #expect(test.counter("mesh.to-open") == 1_024)
    #expect(test.counter("mesh.unopened") == 2)
    test.take(packets[1_023], on: 2)
    #expect(test.counter("mesh.to-open") == 1_024, "it waits already")
    test.take(packets[1_024], on: 2)
    #expect(test.counter("mesh.to-open") == 1_025)
    let texts = Set(test.work().texts)
    #expect(texts == Set((0..<1_025).map { "\($0)" }))
    #expect(test.receive(packets[1_025], on: 1).texts == ["1025"])
  }

  @Test("a link's queue full of junk takes nothing from another's")
  func separateQueues() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var eve = Speaker(3)
    var bob = Speaker(2)
    for _ in 0..<1_200 { test.take(eve.junk(to: test.fingerprint, at: test.wallClock), on: 1) }
    for index in 0..<1_024 {
      test.take(bob.text("\(index)", to: test.keys, at: test.wallClock), on: 2)
    }
    #expect(test.work().texts.count == 1_024)
  }

  @Test("what came in before its link went down is still shown")
  func linkGone() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2)
    for index in 0..<3 {
      test.take(bob.text("\(index)", to: test.keys, at: test.wallClock), on: 1)
    }
    test.down(1)
    #expect(test.mesh.hasWork)
    let effects = test.work()
    #expect(effects.texts == ["0", "1", "2"])
    #expect(effects.sends(.sealed).map(\.links) == [[LinkID(2)], [LinkID(2)], [LinkID(2)]])
  }

  @Test("all links that are gone have 1,024 together, and what is over that may come again")
  func linksGone() {
    var test = TestMesh()
    for link in 1...3 as ClosedRange<UInt32> { test.up(link) }
    var bob = Speaker(2)
    var packets: [Packet] = []
    for link in 1...2 as ClosedRange<UInt32> {
      for _ in 0..<640 {
        let packet = bob.text("\(packets.count)", to: test.keys, at: test.wallClock)
        packets.append(packet)
        test.take(packet, on: link)
      }
      test.down(link)
    }
    #expect(test.counter("mesh.to-open") == 1_024)
    #expect(test.counter("mesh.unopened") == 256)
    test.take(packets[1_279], on: 3)
    #expect(test.counter("mesh.to-open") == 1_025)
    #expect(test.work().texts.count == 1_025)
  }

  @Test("the bytes that wait have a bound: past it, who holds most loses the last")
  func bytes() throws {
    var test = TestMesh()
    var eve = Speaker(3)
    var bob = Speaker(2)
    test.up(100)
    for index in 0..<10 {
      test.take(bob.text("\(index)", to: test.keys, at: test.wallClock), on: 100)
    }
    var bytes = 0
    for link in 1...20 as ClosedRange<UInt32> {
      test.up(link)
      for _ in 0..<64 {
        test.take(eve.junk(to: test.fingerprint, at: test.wallClock, size: 8_240), on: link)
        bytes = max(bytes, test.counter("mesh.to-open-bytes") ?? 0)
      }
    }
    #expect(bytes <= 8 * 1_024 * 1_024)
    #expect(bytes > 8 * 1_024 * 1_024 - 8_284)
    test.up(101)
    for index in 10..<20 {
      test.take(bob.text("\(index)", to: test.keys, at: test.wallClock), on: 101)
    }
    let texts = Set(test.work().texts)
    #expect(texts == Set((0..<20).map { "\($0)" }))
    #expect(test.counter("mesh.to-open-bytes") == 0)
  }
}
