import Discovery
import Dispatch
import Testing
import Wire

@testable import CallRoad

/// A network on which services are found at once, all of them on this machine.
@MainActor
private final class Network {
  var services: [PublishedService] = []
  var hosts: [NetworkView] = []
  let address: IPAddress

  init(_ address: IPAddress) { self.address = address }
}

@MainActor
private final class NetworkView: ServiceDiscovery {
  private let network: Network
  private weak var observer: (any ServiceDiscoveryObserver)?
  private var accepts: @Sendable (String) -> Bool = { _ in false }
  private(set) var withdrawn = 0
  private(set) var isBrowsing = false

  init(_ network: Network) {
    self.network = network
    network.hosts.append(self)
  }

  func browse(
    _ type: ServiceType, observer: any ServiceDiscoveryObserver,
    accepts: @escaping @Sendable (String) -> Bool
  ) {
    self.observer = observer
    self.accepts = accepts
    isBrowsing = true
  }

  func stopBrowsing(_ type: ServiceType) {
    isBrowsing = false
    observer = nil
  }

  func publish(_ service: PublishedService) {
    network.services.removeAll { $0.type == service.type }
    network.services.append(service)
    for host in network.hosts { host.see(service) }
  }

  private func sighting(_ service: PublishedService) -> ServiceSighting {
    ServiceSighting(
      type: service.type, name: service.name, interface: 1,
      family: network.address.isV6 ? .v6 : .v4)
  }

  private func see(_ service: PublishedService) {
    if accepts(service.name) { observer?.serviceSeen(sighting(service)) }
  }

  func withdraw(_ type: ServiceType) {
    withdrawn += 1
    network.services.removeAll { $0.type == type }
  }

  func resolve(_ sighting: ServiceSighting) {
    let service = network.services.first { $0.name == sighting.name }
    observer?.serviceResolved(
      sighting, at: service.map { Endpoint(network.address, port: $0.port) })
  }

  func networkChanged() {}
  func sightings(of type: ServiceType) -> [ServiceSighting] { network.services.map(sighting) }
  func stop() {}
  var statistics: [(name: String, value: Int)] { [] }
}

/// One side of a call, for whom every datagram that begins with this byte is a frame.
@MainActor
private final class Side: UDPRoadObserver {
  static let good: UInt8 = 0x2A
  /// And every one that begins with this a frame that a link had brought already.
  static let late: UInt8 = 0x2B

  let road: UDPRoad
  let view: NetworkView
  private(set) var received: [[UInt8]] = []
  private(set) var hasAddress = false
  private var waiters: [(isTrue: () -> Bool, resume: (Bool) -> Void)] = []

  init(_ network: Network) {
    let view = NetworkView(network)
    self.view = view
    road = UDPRoad { view }
    road.observer = self
  }

  func udpRoad(received datagram: RawSpan) -> DirectEvidence {
    received.append(datagram.withUnsafeBytes { Array($0) })
    defer { noted() }
    return switch received.last?.first {
    case Self.good: .proof
    case Self.late: .hint
    default: .none
    }
  }

  func udpRoadHasAddress() {
    hasAddress = true
    noted()
  }

  private func noted() {
    let ready = waiters.filter { $0.isTrue() }
    waiters.removeAll { $0.isTrue() }
    for waiter in ready { waiter.resume(true) }
  }

  /// Waits until something this side is told of has come true, for 10 s at the most.
  func wait(_ isTrue: @escaping () -> Bool) async -> Bool {
    if isTrue() { return true }
    return await withCheckedContinuation { continuation in
      var isDone = false
      let resume: (Bool) -> Void = {
        if !isDone { continuation.resume(returning: $0) }
        isDone = true
      }
      waiters.append((isTrue, resume))
      DispatchQueue.main.asyncAfter(deadline: .now() + 10) {
        MainActor.assumeIsolated { resume(isTrue()) }
      }
    }
  }
}

@Suite("UDPRoad", .serialized) @MainActor struct UDPRoadTests {
  private let nonce = CallNonce(random: 0x1234_5678)
  private let good = [Side.good] + [UInt8](repeating: 1, count: 40)
  private let bad = [0] + [UInt8](repeating: 1, count: 40)

  @Test(
    "the callee finds the caller, whom its first frame tells where it is", arguments: [false, true])
  func found(_ isV6: Bool) async throws {
    let network = Network(isV6 ? .v6(0, 1, scope: 0) : .v4(0x7F00_0001))
    let caller = Side(network)
    let callee = Side(network)
    caller.road.offer(nonce)
    #expect(network.services.map(\.name) == [nonce.description])
    #expect(network.services.map(\.type) == [.airlinkCall])
    #expect(caller.road.port != 0)
    callee.road.join(nonce)
    #expect(callee.hasAddress && !caller.hasAddress)
    // Nobody to send to yet.
    caller.road.send(good)
    callee.road.send(bad)
    callee.road.send(good)
    #expect(await caller.wait { caller.received.count == 2 })
    #expect(caller.hasAddress)
    caller.road.send(good)
    #expect(await callee.wait { callee.received == [self.good] })
    caller.road.leave()
    callee.road.leave()
    #expect(network.services.isEmpty)
    #expect(caller.road.port == 0 && callee.road.port == 0)
  }

  @Test("a frame that a link brought first tells the caller where the callee may be")
  func slower() async throws {
    let network = Network(.v4(0x7F00_0001))
    let caller = Side(network)
    let callee = Side(network)
    caller.road.offer(nonce)
    callee.road.join(nonce)
    callee.road.send([Side.late] + bad)
    #expect(await caller.wait { caller.hasAddress })
    caller.road.send(good)
    #expect(await callee.wait { callee.received == [self.good] })
    callee.road.leave()
    caller.road.leave()
  }

  @Test("what is no frame of the call teaches no address")
  func garbage() async throws {
    let network = Network(.v4(0x7F00_0001))
    let caller = Side(network)
    let callee = Side(network)
    caller.road.offer(nonce)
    callee.road.join(nonce)
    for length in [0, 1, 20, 1_401, 9_000] {
      callee.road.send([UInt8](repeating: Side.good, count: length))
    }
    for _ in 0..<100 { callee.road.send(bad) }
    #expect(await caller.wait { caller.received.count == 100 })
    #expect(caller.received.allSatisfy { $0 == bad })
    #expect(!caller.hasAddress)
    callee.road.leave()
    caller.road.leave()
  }

  @Test("another call's road is not joined, and a call offered later is found")
  func later() {
    let network = Network(.v4(0x7F00_0001))
    let caller = Side(network)
    let callee = Side(network)
    callee.road.join(nonce)
    caller.road.offer(CallNonce(random: 99))
    #expect(!callee.hasAddress)
    caller.road.offer(nonce)
    #expect(callee.hasAddress)
    callee.road.leave()
    caller.road.leave()
  }

  @Test("twenty calls in a row, roles swapped, leave no descriptor behind")
  func twenty() async {
    let network = Network(.v4(0x7F00_0001))
    let sides = [Side(network), Side(network)]
    var ports: Set<UInt16> = []
    for call in 0..<20 {
      let nonce = CallNonce(random: UInt64(call))
      sides[call % 2].road.offer(nonce)
      sides[1 - call % 2].road.join(nonce)
      let caller = sides[call % 2]
      let before = caller.received.count
      sides[1 - call % 2].road.send(good)
      #expect(await caller.wait { caller.received.count == before + 1 })
      for side in sides {
        ports.insert(side.road.port)
        side.road.leave()
        #expect(!side.view.isBrowsing)
      }
    }
    #expect(!ports.contains(0))
    #expect(sides.allSatisfy { $0.road.port == 0 })
  }

  @Test("without discovery there is no direct road, and nothing fails")
  func none() {
    let road = UDPRoad { nil }
    road.offer(nonce)
    road.send(good)
    road.join(nonce)
    road.send(good)
    #expect(road.port == 0)
    road.leave()
  }
}
