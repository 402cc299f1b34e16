import Testing
import Wire

@testable import MeshSim

/// Every rule that a run is held against can be broken, and is then named.
@Suite("ledger") struct LedgerTests {
  private var ledger = Ledger()
  private let id = MessageID([UInt8](repeating: 3, count: 16)) ?? MessageID()

  init() {
    ledger.write(
      SentText(
        sender: 1, recipient: 2, distance: 1, writtenAt: .zero, text: "hello", life: 0), id)
  }

  private func shown(
    _ ledger: inout Ledger, _ text: String = "hello", from: Int? = 1, at device: Int = 2,
    life: Int = 0, isRemembered: Bool = true, id: MessageID? = nil
  ) -> String? {
    ledger.show(
      id ?? self.id, text, from: from, at: device, life: life, isRemembered: isRemembered,
      now: .zero)
  }

  @Test("what was written may be shown once and delivered once, in this order")
  func good() {
    var ledger = ledger
    let result1 = shown(&ledger)
    #expect(result1 == nil)
    let result2 = ledger.deliver(id, to: 1, now: .zero)
    #expect(result2 == nil)
    #expect(ledger.texts.first?.deliveredAt == .zero)
  }

  @Test("what breaks a rule is named")
  func bad() {
    var ledger = ledger
    let result3 = ledger.deliver(id, to: 1, now: .zero)
    #expect(result3?.contains("not shown") == true)
    let result4 = shown(&ledger, id: MessageID())
    #expect(result4?.contains("nobody wrote it") == true)
    let result5 = shown(&ledger, at: 3)
    #expect(result5?.contains("written to device 2") == true)
    let result6 = shown(&ledger, "hullo")
    #expect(result6?.contains("not what") == true)
    var other = self.ledger
    let result7 = shown(&other, from: 4)
    #expect(result7?.contains("not what") == true)
    var third = self.ledger
    let result8 = shown(&third, from: nil)
    #expect(result8?.contains("not what") == true)
    var twice = self.ledger
    let result9 = shown(&twice)
    #expect(result9 == nil)
    let result10 = shown(&twice)
    #expect(result10?.contains("second time") == true)
    let result11 = shown(&twice, life: 1)
    #expect(result11?.contains("second time") == true)
    let result12 = twice.deliver(id, to: 3, now: .zero)
    #expect(result12?.contains("did not write") == true)
    let result13 = twice.deliver(MessageID(), to: 1, now: .zero)
    #expect(result13?.contains("nobody") == true)
    let result14 = twice.deliver(id, to: 1, now: .zero)
    #expect(result14 == nil)
    let result15 = twice.deliver(id, to: 1, now: .zero)
    #expect(result15?.contains("twice") == true)
  }

  @Test("a stranger's message may be shown again after a restart")
  func stranger() {
    var ledger = ledger
    let result16 = shown(&ledger, isRemembered: false)
    #expect(result16 == nil)
    let result17 = shown(&ledger, life: 1, isRemembered: false)
    #expect(result17 == nil)
    let result18 = shown(&ledger, life: 1, isRemembered: false)
    #expect(result18 != nil)
  }

  @Test("a packet may be relayed again by another device, in another life, or when forgotten")
  func relays() {
    var ledger = ledger
    let second: Int64 = 1_000_000_000
    func relay(
      _ device: Int = 1, life: Int = 0, received: UInt64 = 10, at time: Int64 = 0
    ) -> String? {
      ledger.relay(99, by: device, life: life, received: received, now: time)
    }
    let result19 = relay()
    #expect(result19 == nil)
    let result20 = relay(2)
    #expect(result20 == nil)
    let result21 = relay(life: 1)
    #expect(result21 == nil)
    let result22 = relay(at: 1_799 * second)
    #expect(result22 != nil)
    let result23 = relay(received: 7_009)
    #expect(result23 != nil)
    let result24 = relay(received: 7_010)
    #expect(result24 == nil)
    let result25 = relay(3)
    #expect(result25 == nil)
    let result26 = relay(3, at: 1_800 * second)
    #expect(result26 == nil)
  }

  @Test("what was seen with no hop left is remembered from then on")
  func seenBefore() {
    var ledger = ledger
    let minute: Int64 = 60_000_000_000
    func relay(at time: Int64) -> String? {
      ledger.relay(99, by: 1, life: 0, received: 10, now: time)
    }
    ledger.seeUnrelayed(99, by: 1, life: 0, now: 0)
    let first = relay(at: 10 * minute)
    #expect(first == nil)
    let tooSoon = relay(at: 29 * minute)
    #expect(tooSoon != nil)
    let forgotten = relay(at: 30 * minute)
    #expect(forgotten == nil)
    let again = relay(at: 59 * minute)
    #expect(again != nil)
  }

  @Test("who sent a packet first is its origin")
  func origin() {
    var ledger = ledger
    #expect(!ledger.isKnown(5))
    let result27 = ledger.isOrigin(1, of: 5, at: 0)
    #expect(result27)
    #expect(ledger.isKnown(5))
    let result28 = ledger.isOrigin(2, of: 5, at: 0)
    #expect(!result28)
    let result29 = ledger.isOrigin(1, of: 5, at: 0)
    #expect(result29)
  }
}
