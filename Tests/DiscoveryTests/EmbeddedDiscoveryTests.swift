import Dispatch
import Testing

@testable import Discovery

/// The embedded stack for real: it speaks mDNS on this machine's interfaces, the loopback at least.
@Suite(.serialized, .timeLimit(.minutes(5)))
@MainActor
struct EmbeddedDiscoveryTests {
  /// One who publishes and looks for services.
  @MainActor
  final class Node: ServiceDiscoveryObserver {
    static let patience = DispatchTimeInterval.seconds(60)

    let discovery: AvahiDiscovery
    let name: String
    private(set) var seen: Set<ServiceSighting> = []
    private(set) var resolved: [ServiceSighting: Endpoint?] = [:]
    private(set) var taken: [PublishedService] = []
    private(set) var notices: [String] = []
    private var waiters: [(isTrue: () -> Bool, resume: (Bool) -> Void)] = []

    init(_ name: String, port: UInt16, type: ServiceType, host: String? = nil) {
      self.name = name
      discovery = AvahiDiscovery(.embedded, hostLabel: host ?? "airlink-\(name)")
      discovery.browse(type, observer: self) { $0.utf8.count == 16 }
      discovery.publish(PublishedService(type: type, name: name, port: port))
    }

    func sightings(of name: String) -> Set<ServiceSighting> { seen.filter { $0.name == name } }

    func wait(_ isTrue: @escaping () -> Bool) async -> Bool {
      if isTrue() { return true }
      return await withCheckedContinuation { continuation in
        var isOver = false
        let resume = { (result: Bool) in
          if !isOver { continuation.resume(returning: result) }
          isOver = true
        }
        waiters.append((isTrue, resume))
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.patience) {
          MainActor.assumeIsolated { resume(isTrue()) }
        }
      }
    }

    private func noted() {
      let ready = waiters.filter { $0.isTrue() }
      waiters.removeAll { $0.isTrue() }
      for waiter in ready { waiter.resume(true) }
    }

    func serviceSeen(_ sighting: ServiceSighting) {
      seen.insert(sighting)
      noted()
    }

    func serviceGone(_ sighting: ServiceSighting) {
      seen.remove(sighting)
      noted()
    }

    func serviceResolved(_ sighting: ServiceSighting, at endpoint: Endpoint?) {
      resolved[sighting] = .some(endpoint)
      noted()
    }

    func serviceNameTaken(_ service: PublishedService) {
      taken.append(service)
      noted()
    }

    func discoveryNotice(_ notice: String) {
      notices.append(notice)
      noted()
    }
  }

  /// A type of its own for every run, so that runs side by side do not meet.
  private let type = ServiceType(
    "_al\(UInt32.random(in: 0..<1_000_000_000))._tcp")

  private func name() -> String {
    let hex = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - hex.count) + hex
  }

  @Test("two in one process see each other, find each other's port, and see the end")
  func findEachOther() async throws {
    let a = Node(name(), port: 41_001, type: type)
    let b = Node(name(), port: 41_002, type: type)
    #expect(await a.wait { !a.sightings(of: b.name).isEmpty })
    #expect(await b.wait { !b.sightings(of: a.name).isEmpty })
    #expect(Set(a.discovery.sightings(of: type)) == a.seen)

    let sighting = try #require(a.sightings(of: b.name).first)
    a.discovery.resolve(sighting)
    #expect(await a.wait { a.resolved[sighting] != nil })
    let endpoint = try #require(a.resolved[sighting] ?? nil)
    #expect(endpoint.port == 41_002)
    #expect(endpoint.address.isUnicast)
    #expect(endpoint.address.isV6 == (sighting.family == .v6))
    if endpoint.address.isV6, endpoint.address.isLinkLocal {
      #expect(endpoint.address.scope == sighting.interface)
    }

    b.discovery.stop()
    #expect(await a.wait { a.sightings(of: b.name).isEmpty }, "its goodbye was heard")
    // What is not there cannot be resolved.
    a.discovery.resolve(sighting)
    #expect(await a.wait { a.resolved[sighting] == .some(nil) })
    a.discovery.stop()
  }

  @Test("a name that is taken is told, and another can be published")
  func nameTaken() async throws {
    let same = name()
    let a = Node(same, port: 41_003, type: type, host: "airlink-a\(same)")
    let b = Node(name(), port: 41_005, type: type)
    #expect(await b.wait { !b.sightings(of: same).isEmpty })
    // Of two who claim a name at once either may lose: first let it be the first one's.
    let sighting = try #require(b.sightings(of: same).first)
    b.discovery.resolve(sighting)
    #expect(await b.wait { b.resolved[sighting] != nil })
    b.discovery.publish(PublishedService(type: type, name: same, port: 41_004))
    #expect(await b.wait { !b.taken.isEmpty })
    #expect(b.taken.first == PublishedService(type: type, name: same, port: 41_004))
    let other = name()
    b.discovery.publish(PublishedService(type: type, name: other, port: 41_004))
    #expect(await a.wait { !a.sightings(of: other).isEmpty })
    for node in [a, b] { node.discovery.stop() }
  }

  @Test("what is withdrawn goes, what is published in its place comes")
  func republish() async throws {
    let a = Node(name(), port: 41_006, type: type)
    let b = Node(name(), port: 41_007, type: type)
    #expect(await a.wait { !a.sightings(of: b.name).isEmpty })
    let other = name()
    b.discovery.publish(PublishedService(type: type, name: other, port: 41_008))
    #expect(
      await a.wait { a.sightings(of: b.name).isEmpty && !a.sightings(of: other).isEmpty })
    b.discovery.withdraw(type)
    #expect(await a.wait { a.sightings(of: other).isEmpty })
    for node in [a, b] { node.discovery.stop() }
  }

  @Test("what is published while the stack starts is published when it has started")
  func early() async throws {
    let a = Node(name(), port: 41_009, type: type)
    // Ended before it began.
    let b = Node(name(), port: 41_010, type: type)
    b.discovery.stop()
    let c = Node(name(), port: 41_011, type: type)
    #expect(await a.wait { !a.sightings(of: c.name).isEmpty })
    for node in [a, c] { node.discovery.stop() }
  }

  @Test("what is looked for no more is forgotten, and found again when it is looked for again")
  func stopsBrowsing() async throws {
    let a = Node(name(), port: 41_021, type: type)
    let b = Node(name(), port: 41_022, type: type)
    #expect(await a.wait { !a.sightings(of: b.name).isEmpty })
    a.discovery.stopBrowsing(type)
    var isEmpty = false
    for _ in 0..<600 where !isEmpty {
      try await Task.sleep(for: .milliseconds(20))
      isEmpty = a.discovery.sightings(of: type).isEmpty
    }
    #expect(isEmpty)
    // What it publishes stays.
    #expect(b.seen.contains { $0.name == a.name })
    a.discovery.browse(type, observer: a) { $0.utf8.count == 16 }
    #expect(await a.wait { !a.discovery.sightings(of: self.type).isEmpty })
    a.discovery.stop()
    b.discovery.stop()
  }

  @Test("names that are not asked for never show")
  func filtered() async throws {
    let a = Node(name(), port: 41_012, type: type)
    let b = Node("a name of people", port: 41_013, type: type)
    let c = Node("short", port: 41_014, type: type)
    let d = Node(name(), port: 41_015, type: type)
    #expect(await a.wait { !a.sightings(of: d.name).isEmpty && !a.sightings(of: b.name).isEmpty })
    #expect(a.sightings(of: "short").isEmpty)
    for node in [a, b, c, d] { node.discovery.stop() }
  }
}
