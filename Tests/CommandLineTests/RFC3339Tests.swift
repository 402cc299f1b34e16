import CommandLine
import Testing

@Suite struct RFC3339Tests {
  @Test(
    "milliseconds become the date and time they are",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (951_868_799_999, "2000-02-29T23:59:59.999Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (1_735_689_599_001, "2024-12-31T23:59:59.001Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
      (UInt64.max, "9999-12-31T23:59:59.999Z"),
    ] as [(UInt64, String)])
  func format(milliseconds: UInt64, text: String) {
    #expect(RFC3339.format(milliseconds: milliseconds) == text)
  }
}
