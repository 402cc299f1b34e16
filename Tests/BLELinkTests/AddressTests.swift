import BLELink
import Testing

@Suite("a Bluetooth address")
struct AddressTests {
  @Test(
    "is read as it is written, in letters of either case",
    arguments: ["00:AA:01:00:00:00", "ff:Ff:fF:FF:ff:ff", "00:00:00:00:00:00", "01:02:03:04:05:06"])
  func readsAsWritten(text: String) {
    #expect(BLEAddress(text)?.description == text.uppercased())
  }

  @Test(
    "is nothing else",
    arguments: [
      "", ":", "00:AA:01:00:00", "00:AA:01:00:00:00:00", "00:AA:01:00:00:0", "00:AA:01:00:00:000",
      "00-AA-01-00-00-00", "0G:AA:01:00:00:00", "00:AA:01:00:00:00 ", "00:AA:01::00:00",
      "+1:AA:01:00:00:00", "0\u{301}0:AA:01:00:00:00",
    ])
  func isNothingElse(text: String) {
    #expect(BLEAddress(text) == nil)
  }

  @Test("of the same bits but another kind is another")
  func kindsDiffer() {
    #expect(BLEAddress(7, .public) != BLEAddress(7, .random))
    #expect(BLEAddress(7, .public) < BLEAddress(7, .random))
  }

  @Test("has 48 bits")
  func has48Bits() {
    #expect(BLEAddress(.max).value == 0xFFFF_FFFF_FFFF)
  }
}
