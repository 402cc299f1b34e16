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
  @Test("a named peer is linked, packets go both ways, and the end is seen at the other end")
  func peers() async throws {
    let (a, b) = try await Host.pair()
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

  @Test("resume probes the links without hurting them")
  func resume() async throws {
    let (a, b) = try await Host.pair { $0.probing = .milliseconds(100) }
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
