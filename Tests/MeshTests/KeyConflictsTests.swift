import Testing
import Wire

@testable import Mesh

@Suite("table of conflicts") struct KeyConflictsTests {
  private let number = Number(Fingerprint(value: 7 << 24))
  private func keys(_ person: UInt64) -> PublicKeys { ModelCryptography.keys(of: person) }

  @Test("sixteen claimants of a number are told of; those after them are as good as known")
  func full() {
    var conflicts = KeyConflicts()
    for person in 1...16 as ClosedRange<UInt64> {
      #expect(conflicts.note(keys(person), number) == true)
      let again = conflicts.note(keys(person), number)
      #expect(!again)
    }
    let isTold = conflicts.note(keys(17), number)
    #expect(!isTold)
    #expect(conflicts.claimants(of: number) == (1...16).map { keys($0) })
    #expect(conflicts.isOpen(number))
    conflicts.settle(number, for: keys(3), against: keys(99))
    #expect(!conflicts.isOpen(number))
    #expect(conflicts.rejectedCount == 16, "fifteen claimants and the former keys")
    #expect(conflicts.note(keys(17), number) == true, "whoever was not heard then is new")
  }

  @Test("256 rejected keys are remembered, the oldest is forgotten first")
  func rejected() {
    var conflicts = KeyConflicts()
    for person in 1...257 as ClosedRange<UInt64> {
      conflicts.settle(number, for: keys(1_000), against: keys(person))
    }
    #expect(conflicts.rejectedCount == 256)
    let isTold = conflicts.note(keys(2), number)
    #expect(!isTold)
    #expect(conflicts.note(keys(1), number) == true)
  }

  @Test("one numbers' decision leaves another's alone")
  func perNumber() {
    var conflicts = KeyConflicts()
    let other = Number(Fingerprint(value: 8 << 24))
    _ = conflicts.note(keys(1), number)
    _ = conflicts.note(keys(2), other)
    conflicts.settle(number, for: keys(3), against: nil)
    #expect(!conflicts.isOpen(number))
    #expect(conflicts.isOpen(other))
    #expect(conflicts.count == 1)
  }
}
