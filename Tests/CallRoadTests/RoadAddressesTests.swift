import Discovery
import Testing
import Wire

@testable import CallRoad

@Suite("RoadAddresses") struct RoadAddressesTests {
  private func endpoint(_ last: UInt32, port: UInt16 = 4_000) -> Endpoint {
    Endpoint(.v4(0x0A00_0000 + last), port: port)
  }

  @Test("every guess is tried until a frame has proved one; then that one alone")
  func proof() {
    var addresses = RoadAddresses()
    #expect(addresses.isEmpty && addresses.targets(at: .zero).isEmpty)
    addresses.guess(endpoint(1))
    addresses.guess(endpoint(2))
    addresses.guess(endpoint(1))
    #expect(addresses.targets(at: .zero) == [endpoint(1), endpoint(2)])
    addresses.prove(endpoint(2), at: .zero)
    #expect(addresses.targets(at: .zero + .milliseconds(2_499)) == [endpoint(2)])
    #expect(addresses.targets(at: .zero + .milliseconds(2_500)) == [endpoint(2), endpoint(1)])
  }

  @Test("a proof moves the address, to one that nobody guessed too")
  func moves() {
    var addresses = RoadAddresses()
    addresses.prove(endpoint(7), at: .zero)
    addresses.prove(endpoint(8), at: .zero)
    #expect(addresses.targets(at: .zero) == [endpoint(8)])
    #expect(!addresses.isEmpty)
  }

  @Test("two hints at the most, the newest ones, and none while a frame proves an address")
  func hints() {
    var addresses = RoadAddresses()
    addresses.guess(endpoint(1))
    for last: UInt32 in 1...5 { addresses.hint(at: endpoint(last), at: .zero) }
    addresses.hint(at: endpoint(5), at: .zero)
    addresses.hint(at: endpoint(6, port: 0), at: .zero)
    #expect(addresses.targets(at: .zero) == [endpoint(1), endpoint(4), endpoint(5)])
    addresses.prove(endpoint(4), at: .zero)
    addresses.hint(at: endpoint(9), at: .zero + .milliseconds(2_499))
    #expect(addresses.targets(at: .zero) == [endpoint(4)])
    #expect(
      addresses.targets(at: .zero + .milliseconds(2_500)) == [
        endpoint(4), endpoint(1), endpoint(5),
      ])
    var other = RoadAddresses()
    other.hint(at: endpoint(7), at: .zero)
    #expect(!other.isEmpty && other.targets(at: .zero) == [endpoint(7)])
  }

  @Test("eight guesses at the most, and none that nothing can be sent to")
  func bounds() {
    var addresses = RoadAddresses()
    addresses.guess(endpoint(1, port: 0))
    addresses.guess(Endpoint(.v4(0xE000_00FB), port: 5_353))
    addresses.guess(Endpoint(.v4(0xFFFF_FFFF), port: 9))
    addresses.guess(Endpoint(.v6(0xFF02 << 48, 1, scope: 0), port: 9))
    addresses.guess(Endpoint(.v4(0), port: 9))
    #expect(addresses.isEmpty)
    for last: UInt32 in 1...100 { addresses.guess(endpoint(last)) }
    #expect(addresses.targets(at: .zero) == (93...100).map { endpoint($0) })
  }
}
