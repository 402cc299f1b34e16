import Discovery
import Link
import Testing
import Wire

@testable import WiFiLink

/// Real links between hosts that discovery brings together.
@Suite(.serialized, .timeLimit(.minutes(3)))
@MainActor
struct DiscoveredLinkTests {
  @Test("two that see each other have one link, made by the lower id")
  func oneLink() async throws {
    let (left, right) = (ScriptedDiscovery(), ScriptedDiscovery())
    let a = try Host(instance: 1, discovery: left)
    let b = try Host(instance: 2, discovery: right)
    let loopback = IPAddress.v4(0x7F00_0001)
    let names = [a, b].map { $0.wifi.policy.own.hex }
    #expect(names == ["0000000000000001", "0000000000000002"])
    #expect(left.published == [PublishedService(type: .airlink, name: names[0], port: a.wifi.port)])
    right.see(names[0], at: Endpoint(loopback, port: a.wifi.port))
    right.see(names[1], at: Endpoint(loopback, port: b.wifi.port))
    for interface in 1...4 as ClosedRange<UInt32> {
      left.see(names[1], at: Endpoint(loopback, port: b.wifi.port), interface: interface)
      left.see(names[0], at: Endpoint(loopback, port: a.wifi.port), interface: interface)
    }
    #expect(await a.wait { a.up.count == 1 })
    let link = try #require(a.up.keys.first)
    a.wifi.send(.sample(), on: link)
    #expect(await b.wait { b.received.count == 1 })
    #expect(right.asked.isEmpty, "the higher one need not even know where the lower one is")
    #expect(a.everUp.count == 1 && b.everUp.count == 1)
    // A removal is no sign that it is gone.
    left.lose(names[1])
    right.lose(names[0])
    a.wifi.send(.sample(number: 2), on: link)
    #expect(await b.wait { b.received.count == 2 })
    for host in [a, b] { host.wifi.stop() }
    #expect(left.isStopped && right.isStopped)
  }

  @Test("a name that somebody else has is given up for another, and links stay")
  func anotherName() async throws {
    let discovery = ScriptedDiscovery()
    let b = try Host(instance: 2)
    let a = try Host(instance: 1, discovery: discovery)
    let endpoint = Endpoint(.v4(0x7F00_0001), port: b.wifi.port)
    discovery.see("0000000000000002", at: endpoint)
    #expect(await a.wait { a.up.count == 1 })
    discovery.takeName()
    #expect(discovery.published.count == 2)
    let name = try #require(discovery.published.last?.name)
    #expect(InstanceID(serviceName: name) != nil && name != "0000000000000001")
    #expect(a.up.count == 1 && a.down.isEmpty)
    // Only the name in use counts.
    a.wifi.serviceNameTaken(discovery.published[0])
    #expect(discovery.published.count == 2)
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("a name from the network that is no instance name is never asked about")
  func hostileName() throws {
    let discovery = ScriptedDiscovery()
    let a = try Host(instance: 1, discovery: discovery)
    for name in ["\u{1B}[2J", "", "00000000000000g2", String(repeating: "9", count: 63)] {
      discovery.see(name, at: Endpoint(.v4(0x7F00_0001), port: 9))
    }
    #expect(discovery.asked.isEmpty && a.value("targets") == 0)
    a.wifi.stop()
  }

  @Test("notices of discovery reach the user")
  func notices() throws {
    let discovery = ScriptedDiscovery()
    let a = try Host(discovery: discovery)
    a.wifi.discoveryNotice("avahi-daemon went away")
    #expect(a.notices == ["avahi-daemon went away"])
    a.wifi.stop()
  }
}
