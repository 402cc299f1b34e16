import Testing

@testable import airlink_bench

@Suite(.enabled(if: Allocations.areCounted, "a sanitizer counts with a malloc of its own"))
struct AllocationTests {
  @Test("every block asked for is counted, also when it is given back at once")
  func counts() throws {
    let none = try #require(Allocations.each(1_000) { for number in 0..<$0 { keep(number) } })
    #expect(none == 0)
    let one = try #require(
      Allocations.each(1_000) { for _ in 0..<$0 { UnsafeMutablePointer<Int>.make().deallocate() } })
    #expect(one == 1)
  }

  @Test(
    "neither slices nor copies of packets make the node ask for memory",
    arguments: [CaseName.chunker, .routerCopy, .meshCopy])
  func none(name: CaseName) async throws {
    let measurement = try await name.subject.measure(.milliseconds(20))
    #expect(measurement.figures[.allocations] == 0)
  }
}

extension UnsafeMutablePointer {
  /// Kept whole by the optimiser.
  @inline(never) fileprivate static func make() -> Self { .allocate(capacity: 1) }
}
