import Discovery
import Glibc
import Link
import Testing
import Wire

@testable import WiFiLink

/// Real sockets, and others at the far end who do what no honest program does.
@Suite(.serialized, .timeLimit(.minutes(3)))
@MainActor
struct HostileConnectionTests {
  @Test("who sends garbage loses its link, and nobody else does")
  func garbage() async throws {
    let (a, b) = try await Host.pair()
    let client = try await RawClient.connect(port: b.wifi.port)
    client.send([UInt8](repeating: 0x55, count: 70_000))
    #expect(await client.isClosed(within: Host.patience))
    #expect(a.up.count == 1 && b.up.count == 1)
    #expect(b.value("refused") == 1 && b.value("garbage-bytes") > 64 * 1_024)
    client.close()
    // One that had shown a packet is told of.
    let second = try await RawClient.connect(port: b.wifi.port)
    second.send(Packet.sample().encoded)
    second.send([UInt8](repeating: 0x55, count: 70_000))
    #expect(
      await b.wait { b.down.map(\.reason) == [.misbehaved("bytes that are no packets")] })
    second.close()
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("a byte now and then does not keep a connection")
  func drip() async throws {
    let (a, b) = try await Host.pair { $0.proofTimeout = .milliseconds(600) }
    let client = try await RawClient.connect(port: b.wifi.port)
    let drops = Packet.sample().encoded
    let sent = await aside {
      for (number, byte) in drops.enumerated() {
        guard client.send([byte]) else { return number }
        usleep(20_000)
      }
      return drops.count
    }
    #expect(sent < drops.count)
    #expect(a.up.count == 1 && b.up.count == 1)
    client.close()
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("who never reads loses its link, costs no memory and delays nobody")
  func neverReads() async throws {
    let (a, b) = try await Host.pair { $0.stallTimeout = .milliseconds(500) }
    let client = try RawClient(port: b.wifi.port, receiveBuffer: 4_096)
    client.send(Packet.sample(.hello, payload: 129).encoded)
    #expect(await b.wait { b.up.count == 2 })
    let link = try #require(b.everUp.last)
    var outcomes: [SendOutcome: Int] = [:]
    let packet = Packet.sample(payload: 8_240)
    for _ in 0..<2_000 {
      outcomes[b.wifi.send(packet, on: link), default: 0] += 1
      #expect(b.value("queued-bytes") <= 512 * 1_024)
    }
    #expect(outcomes[.shed, default: 0] > 1_000)
    #expect(b.value("shed") == outcomes[.shed])
    let other = try #require(b.everUp.first)
    #expect(b.wifi.send(.sample(number: 77), on: other) == .queued)
    #expect(await a.wait { a.received.count == 2 })
    #expect(await b.wait { b.up.count == 1 })
    #expect(b.down.map(\.link) == [link])
    #expect(b.value("queued-bytes") == 0)
    client.close()
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("hundreds of connections cost those who make them")
  func hundreds() async throws {
    let (a, b) = try await Host.pair { $0.accepted = 64 }
    let honest = try #require(b.everUp.first)
    var clients: [RawClient] = []
    for _ in 0..<400 {
      clients.append(try await RawClient.connect(port: b.wifi.port, from: "127.0.0.9"))
    }
    let link = try #require(a.up.keys.first)
    #expect(a.wifi.send(.sample(number: 5), on: link) == .queued)
    #expect(await b.wait { b.received.count == 2 })
    // A newcomer gets in all the same.
    let newcomer = try await RawClient.connect(
      port: b.wifi.port, sending: Packet.sample(number: 6).encoded)
    #expect(await b.wait { b.received.count == 3 })
    #expect(b.value("links-accepted") == 64)
    #expect(a.down.map(\.reason) == [])
    // Of theirs, those that had the time to come up went down again for want of a packet.
    #expect(!b.down.map(\.link).contains(honest))
    #expect(Set(b.down.map(\.reason)).isSubset(of: [.misbehaved("no packet yet, and no room")]))
    for client in clients + [newcomer] { client.close() }
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("a thousand idle connections stand, and cost no processor time")
  func thousandIdle() async throws {
    let descriptors = Descriptors.raise(to: 4_096)
    try #require(descriptors >= 2_600, "needs a limit of 2,600 descriptors")
    let b = try Host()
    var clients: [RawClient] = []
    for number in 0..<1_000 {
      clients.append(
        try await RawClient.connect(
          port: b.wifi.port, sending: Packet.sample(number: UInt64(number)).encoded))
    }
    #expect(await b.wait { b.received.count == 1_000 })
    #expect(b.up.count == 1_000 && b.down.isEmpty)
    #expect(b.wifi.policy.nextDeadline == nil, "nothing is polled")
    clients[500].send(Packet.sample(number: 5_000).encoded)
    #expect(await b.wait { b.received.count == 1_001 })
    for client in clients { client.close() }
    #expect(await b.wait { b.up.isEmpty })
    b.wifi.stop()
  }

  @Test("one that floods does not keep another from being heard")
  func fairness() async throws {
    let (a, b) = try await Host.pair()
    let client = try await RawClient.connect(port: b.wifi.port, from: "127.0.0.7")
    let flood = Array(repeating: Packet.sample().encoded, count: 200).flatMap { $0 }
    let sender = Task {
      await aside { while client.send(flood) {} }
    }
    #expect(await b.wait { b.received.count > 2_000 })
    let link = try #require(a.up.keys.first)
    let packet = Packet.sample(number: 4_242)
    #expect(a.wifi.send(packet, on: link) == .queued)
    let before = b.received.count
    #expect(await b.wait { b.received.contains { $0.packet == packet } })
    let passed = b.received.firstIndex { $0.packet == packet }.map { $0 - before } ?? .max
    // What one turn takes of the flood is some 190 packets.
    #expect(passed < 2_000)
    shutdown(client.descriptor, CInt(SHUT_RDWR))
    await sender.value
    client.close()
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("a link may be closed by whoever gets its packet, or everything stopped")
  func reentrancy() async throws {
    for stopsAll in [false, true] {
      let b = try Host()
      b.onPacket = { link in
        if stopsAll { b.wifi.stop() } else { b.wifi.close(link, because: .misbehaved("test")) }
      }
      let client = try await RawClient.connect(port: b.wifi.port)
      client.send(Array(repeating: Packet.sample().encoded, count: 50).flatMap { $0 })
      #expect(await client.isClosed(within: Host.patience))
      #expect(b.received.count == 1, "none follows the one that closed it")
      #expect(b.down.map(\.reason) == [stopsAll ? .stopping : .misbehaved("test")])
      client.close()
      b.wifi.stop()
    }
  }

  @Test("a link may be closed in the moment in which it comes up")
  func closedWhenUp() async throws {
    let b = try Host()
    b.onUp = { b.wifi.close($0, because: .stopping) }
    let client = try await RawClient.connect(port: b.wifi.port)
    client.send(Packet.sample().encoded)
    #expect(await client.isClosed(within: Host.patience))
    #expect(b.received.isEmpty && b.down.count == 1)
    client.close()
    b.wifi.stop()
  }
}

/// This process's limit of file descriptors.
enum Descriptors {
  /// Raises the limit as far as allowed; the limit that holds then.
  static func raise(to wanted: UInt) -> UInt {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    if limit.rlim_cur < wanted {
      limit.rlim_cur = min(wanted, limit.rlim_max)
      setrlimit(resource, &limit)
    }
    return limit.rlim_cur
  }
}
