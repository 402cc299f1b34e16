import Router
import Testing
import Wire

/// The order of the checks is binding: each packet here fails two, and is dropped for the first.
@Suite struct RouterOrderTests {
  private static let old = Timestamp.noon.advanced(by: .seconds(-21_601))

  @Test("seen comes before the link's share, and costs none of it")
  func seenBeforeShare() {
    var test = TestRouter()
    test.receive(.sealed(1))
    test.exhaust(.b)
    #expect(test.receive(.sealed(1), from: .b) == .copy)
    #expect(test.receive(.sealed(2), from: .b) == .drop(.overShare))
    test.now = test.now + .milliseconds(10)
    for _ in 0..<1_000 { #expect(test.receive(.sealed(1), from: .b) == .copy) }
    #expect(test.receive(.sealed(2), from: .b) == .relayed(4))
  }

  @Test("seen comes before age")
  func seenBeforeAge() {
    var test = TestRouter()
    let packets = [Packet.sealed(1), .sealed(2, to: .own), .hello(3, hopLimit: 1)]
    for packet in packets { test.receive(packet) }
    test.wallClock = Timestamp.noon.advanced(by: .seconds(7 * 3_600))
    for packet in packets { #expect(test.receive(packet, from: .b) == .copy) }
  }

  @Test("seen comes before the hop limit over the kind's")
  func seenBeforeHopLimit() {
    var test = TestRouter()
    test.receive(.hello(1))
    let copy = Packet(.hello(1), hopLimit: 9)
    #expect(test.receive(copy) == .copy)
  }

  @Test("seen comes before the signature: a copy is not verified again")
  func seenBeforeSignature() {
    var test = TestRouter()
    for link in [LinkID.a, .b, .c] { test.receive(.hello(1), from: link) }
    #expect(test.verified == 1)
  }

  @Test(
    "the link's share comes before form and age",
    arguments: [
      Packet.raw(1, version: 2), .raw(1, kind: 9), .raw(1, length: 1), .sealed(1, time: old),
      .raw(1, kind: 1, hopLimit: 9, to: .everyone, length: 129), .hello(1),
    ])
  func shareFirst(packet: Packet) {
    var test = TestRouter()
    test.exhaust(.a)
    #expect(test.receive(packet) == .drop(.overShare))
    #expect(test.verified == 0)
  }

  @Test("whatever is not for us costs a token, though it is then refused")
  func refusedCostsToo() {
    var test = TestRouter()
    for number in 0..<400 as Range<UInt64> { test.receive(.raw(number, version: 2)) }
    #expect(test.receive(.sealed(1)) == .drop(.overShare))
  }

  @Test("form comes before age")
  func formBeforeAge() {
    var test = TestRouter()
    #expect(test.receive(.raw(1, version: 2, time: Self.old)) == .drop(.otherVersion))
    #expect(
      test.receive(.raw(1, kind: 3, hopLimit: 2, time: Self.old, to: .own, length: 80))
        == .drop(.hopLimitOverKind))
  }

  @Test("age comes before voice, for us or not")
  func ageBeforeVoice() {
    var test = TestRouter()
    #expect(test.receive(.voice(1, time: Self.old)) == .drop(.tooOld))
    #expect(test.receive(.voice(2, to: .other, time: Self.old)) == .drop(.tooOld))
  }

  @Test("age comes before what is for us")
  func ageBeforeForUs() {
    var test = TestRouter()
    #expect(test.receive(.sealed(1, to: .own, time: Self.old)) == .drop(.tooOld))
  }

  @Test("age comes before the signature, which is dear")
  func ageBeforeSignature() {
    var test = TestRouter()
    #expect(test.receive(.hello(1, time: Self.old)) == .drop(.tooOld))
    #expect(test.verified == 0)
  }

  @Test("the share of hellos comes before the signature")
  func helloShareBeforeSignature() {
    var test = TestRouter()
    test.signatureHolds = false
    for number in 0..<50 as Range<UInt64> {
      #expect(test.receive(.hello(number)) == .drop(.badSignature))
    }
    #expect(test.receive(.hello(99)) == .drop(.overHelloShare))
    #expect(test.verified == 50)
  }
}
