import CAllocationCount
import Testing

@testable import airlink_bench

@Suite struct AllocationCountTests {
  @Test(
    "blocks asked for are counted, by whichever library",
    .enabled(
      if: airlink_allocation_count() >= 0, "under a sanitizer allocations cannot be counted"))
  func counts() {
    let before = airlink_allocation_count()
    for count in 1_000..<1_100 { keep([UInt8](repeating: 1, count: count)) }
    #expect(airlink_allocation_count() - before >= 100)
  }
}
