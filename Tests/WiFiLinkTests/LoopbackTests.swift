import Discovery
import Glibc
import Link
import Testing
import Wire

@testable import WiFiLink

/// Real sockets on this machine.
@Suite(.serialized, .timeLimit(.minutes(3)))
@MainActor
struct LoopbackTests {
  /// Two hosts with one link, which has carried a packet each way.
  private func pair(
    _ change: (inout WiFiLimits) -> Void = { _ in }
  ) async throws -> (a: Host, b: Host) {
    let b = try Host(change)
    let a = try Host(peers: [b.address], change)
    #expect(await a.wait { a.up.count == 1 })
    let link = try #require(a.up.keys.first)
    #expect(a.wifi.send(.sample(.hello, payload: 129), on: link) == .queued)
    #expect(await b.wait { b.received.count == 1 && b.up.count == 1 })
    let back = try #require(b.up.keys.first)
    #expect(b.wifi.send(.sample(.hello, payload: 130), on: back) == .queued)
    #expect(await a.wait { a.received.count == 1 })
    return (a, b)
  }

  @Test("a named peer is linked, packets go both ways, and the end is seen at the other end")
  func peers() async throws {
    let (a, b) = try await pair()
    let up = try #require(a.up.values.first)
    #expect(up.transport == "wifi" && up.name.hasPrefix("wifi-"))
    #expect(up.remote == b.address && up.host == "this host")
    #expect(a.received.map(\.packet) == [.sample(.hello, payload: 130)])
    #expect(b.received.map(\.packet) == [.sample(.hello, payload: 129)])
    #expect(a.value("packets-out") == 1 && b.value("packets-in") == 1)
    a.wifi.stop()
    #expect(a.down.map(\.reason) == [.stopping])
    #expect(await b.wait { b.down.map(\.reason) == [.lost("closed by the other end")] })
    #expect(a.wifi.send(.sample(), on: LinkID(1)) == .noLink)
    b.wifi.stop()
    b.wifi.stop()
  }

  @Test("a peer that is not there yet is dialled until it is")
  func later() async throws {
    let first = try Host()
    let address = first.address
    first.wifi.stop()
    let a = try Host(peers: [address]) {
      $0.firstBackoff = .milliseconds(20)
      $0.maximumBackoff = .milliseconds(50)
      $0.minimumRoundInterval = .milliseconds(10)
    }
    let b = try Host(listen: address)
    #expect(await a.wait { a.up.count == 1 })
    // And again after it was away.
    let link = try #require(a.up.keys.first)
    b.wifi.stop()
    #expect(await a.wait { a.up.isEmpty })
    let c = try Host(listen: address)
    #expect(await a.wait { a.up.count == 1 })
    #expect(a.up[link] == nil, "a link's number is never used again")
    for host in [a, c] { host.wifi.stop() }
  }

  @Test("IPv6, a host name and all addresses at once", arguments: ["[::1]", "localhost"])
  func otherNames(name: String) async throws {
    let b = try Host(listen: "0")
    let a = try Host(peers: ["\(name):\(b.wifi.port)"])
    #expect(await a.wait { a.up.count == 1 })
    #expect(a.up.values.first?.host == "this host")
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("the largest packets, cut anywhere, arrive whole and in order")
  func cuts() async throws {
    let b = try Host()
    let client = try await RawClient.connect(port: b.wifi.port)
    let packets = (1...60).map {
      Packet.sample(payload: [304, 8_240, 1_072][$0 % 3], number: UInt64($0))
    }
    let bytes = packets.flatMap(\.encoded)
    await aside {
      var generator = SplitMix64(seed: 5)
      var rest = bytes[...]
      while !rest.isEmpty {
        let slice = rest.prefix(Int.random(in: 1...6_000, using: &generator))
        client.send(Array(slice))
        rest = rest.dropFirst(slice.count)
        if Bool.random(using: &generator) { sched_yield() }
      }
    }
    #expect(await b.wait { b.received.count == packets.count })
    #expect(b.received.map(\.packet) == packets)
    client.close()
    b.wifi.stop()
  }

  @Test("who sends garbage loses its link, and nobody else does")
  func garbage() async throws {
    let (a, b) = try await pair()
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
    let (a, b) = try await pair { $0.proofTimeout = .milliseconds(600) }
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
    let (a, b) = try await pair { $0.stallTimeout = .milliseconds(500) }
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

  @Test("a peer that reads late gets every packet that was queued, whole")
  func readsLate() async throws {
    let b = try Host()
    let a = try Host(peers: [b.address])
    #expect(await a.wait { a.up.count == 1 })
    let link = try #require(a.up.keys.first)
    var queued = 0
    for number in 0..<400
    where a.wifi.send(.sample(payload: 8_240, number: UInt64(number)), on: link) == .queued {
      queued += 1
    }
    #expect(queued >= 60)
    #expect(await b.wait { b.received.count == queued })
    #expect(b.value("garbage-bytes") == 0)
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("hundreds of connections cost those who make them")
  func hundreds() async throws {
    let (a, b) = try await pair { $0.accepted = 64 }
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
    #expect(a.down.isEmpty && b.down.isEmpty)
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

  @Test("a dial that hangs is given up, and made again")
  func hangingDial() async throws {
    // A listener whose queue is full answers no more.
    let listener = try TCPSocket.listen(at: .v4(0x7F00_0001), port: 0)
    listen(listener, 0)
    let port = try #require(Endpoint(listener, by: getsockname)?.port)
    var fillers: [CInt] = []
    for _ in 0..<8 {
      fillers.append(
        try TCPSocket.connect(to: Endpoint(.v4(0x7F00_0001), port: port), interface: 0))
    }
    let a = try Host(peers: ["127.0.0.1:\(port)"]) {
      $0.dialTimeout = .milliseconds(200)
      $0.firstBackoff = .milliseconds(20)
      $0.maximumBackoff = .milliseconds(50)
      $0.minimumRoundInterval = .milliseconds(10)
    }
    while a.wifi.policy.lastDial < 3 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(a.up.isEmpty && a.value("dials") <= 1)
    for filler in fillers { close(filler) }
    var accepted: [CInt] = []
    while a.up.isEmpty {
      if let descriptor = try? TCPSocket.accept(listener) { accepted.append(descriptor) }
      try await Task.sleep(for: .milliseconds(10))
    }
    a.wifi.stop()
    for descriptor in accepted + [listener] { close(descriptor) }
  }

  @Test("one that floods does not keep another from being heard")
  func fairness() async throws {
    let (a, b) = try await pair()
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

  @Test("resume probes the links without hurting them")
  func resume() async throws {
    let (a, b) = try await pair { $0.probing = .milliseconds(100) }
    a.wifi.systemResumed()
    let link = try #require(a.up.keys.first)
    #expect(a.wifi.send(.sample(number: 2), on: link) == .queued)
    #expect(await b.wait { b.received.count == 2 })
    for host in [a, b] { host.wifi.stop() }
  }

  @Test("a port that is taken is a clear error, and nothing stays open")
  func takenPort() async throws {
    let a = try Host()
    let error = #expect(throws: WiFiLinkError.self) { try Host(listen: a.address) }
    #expect(try error == .portTaken(ListenAddress(parsing: a.address)))
    #expect(error?.description.contains("taken") == true)
    a.wifi.stop()
    let b = try Host(listen: a.address.replacingPort(with: "0"))
    b.wifi.stop()
  }

  @Test(
    "an address that is not ours is a clear error",
    arguments: ["192.0.2.99:0", "[2001:db8::99]:0", "[fe80::1%nosuch0]:0"])
  func badAddress(text: String) {
    let error = #expect(throws: WiFiLinkError.self) { try Host(listen: text) }
    #expect(error?.description.isEmpty == false)
  }

  @Test("a peer that is this node itself is told, and not linked")
  func ourselves() async throws {
    let first = try Host()
    let address = first.address
    first.wifi.stop()
    let a = try Host(listen: address, peers: [address])
    #expect(await a.wait { !a.notices.isEmpty })
    #expect(a.notices == ["--peer \(address) is this node itself; it is not dialled"])
    #expect(a.up.isEmpty && a.value("links") == 0)
    a.wifi.stop()
  }

  @Test("every bound is shown")
  func statistics() throws {
    let a = try Host()
    let names = a.wifi.statistics.map(\.name)
    #expect(Set(names).count == names.count)
    for bound in ["links-accepted", "links-per-host", "dials", "targets", "queued-bytes-per-link"] {
      #expect(a.value("\(bound)-limit") > 0)
    }
    a.wifi.stop()
  }
}

extension String {
  fileprivate func replacingPort(with port: String) -> String {
    (lastIndex(of: ":").map { String(self[...$0]) } ?? self) + port
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
