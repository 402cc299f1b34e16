import Discovery
import Dispatch
import Glibc
import Link
import Testing
import Wire

@testable import WiFiLink

/// A real Wi-Fi link on this machine, and what it told.
@MainActor
final class Host: LinkObserver {
  /// How long something is waited for that must come.
  static let patience: Duration = .seconds(60)

  let wifi: WiFiLink
  private(set) var up: [LinkID: LinkDescription] = [:]
  private(set) var everUp: [LinkID] = []
  private(set) var down: [(link: LinkID, reason: LinkCloseReason)] = []
  private(set) var received: [(link: LinkID, packet: Packet)] = []
  private(set) var notices: [String] = []
  /// Called with every packet, before it is noted.
  var onPacket: ((LinkID) -> Void)?
  var onUp: ((LinkID) -> Void)?
  private var waiters: [(id: Int, isTrue: () -> Bool, resume: (Bool) -> Void)] = []
  private var lastWaiter = 0

  init(
    instance: UInt64 = 1, listen: String = "127.0.0.1:0", peers: [String] = [],
    discovery: (any ServiceDiscovery)? = nil, _ change: (inout WiFiLimits) -> Void = { _ in }
  ) throws {
    var limits = WiFiLimits.standard
    change(&limits)
    var number: UInt32 = 0
    var configuration = WiFiConfiguration(instance: InstanceID(value: instance), seed: 7) {
      number += 1
      return LinkID(number)
    }
    configuration.listen = try ListenAddress(parsing: listen)
    configuration.peers = try peers.map { try HostAndPort(parsing: $0) }
    configuration.discovery = .off
    wifi = WiFiLink(configuration, limits: limits, discovery: discovery)
    wifi.observer = self
    try wifi.start()
  }

  /// Two hosts with one link, which has carried a packet each way.
  static func pair(
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

  var address: String { "127.0.0.1:\(wifi.port)" }

  func value(_ name: String) -> Int {
    wifi.statistics.first { $0.name == name }?.value ?? -1
  }

  /// Waits until something this host is told of has come true.
  func wait(_ isTrue: @escaping () -> Bool) async -> Bool {
    if isTrue() { return true }
    lastWaiter += 1
    let id = lastWaiter
    return await withCheckedContinuation { continuation in
      waiters.append((id, isTrue, { continuation.resume(returning: $0) }))
      let patience = DispatchTimeInterval.seconds(Int(Self.patience.components.seconds))
      DispatchQueue.main.asyncAfter(deadline: .now() + patience) {
        MainActor.assumeIsolated {
          guard let index = self.waiters.firstIndex(where: { $0.id == id }) else { return }
          self.waiters.remove(at: index).resume(isTrue())
        }
      }
    }
  }

  private func noted() {
    let ready = waiters.filter { $0.isTrue() }
    waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } }
    for waiter in ready { waiter.resume(true) }
  }

  func linkCameUp(_ link: LinkID, _ description: LinkDescription) {
    up[link] = description
    everUp.append(link)
    onUp?(link)
    noted()
  }

  func linkWentDown(_ link: LinkID, because reason: LinkCloseReason) {
    up[link] = nil
    down.append((link, reason))
    noted()
  }

  func link(_ link: LinkID, received packet: borrowing PacketView) {
    onPacket?(link)
    received.append((link, Packet(copying: packet)))
    noted()
  }

  func transportNotice(_ transport: String, _ notice: String) {
    notices.append(notice)
    noted()
  }
}

/// Does what blocks on a thread where nobody waits for anything else.
func aside<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: work()) }
  }
}

/// A plain TCP client, which may behave as badly as it likes.
///
/// Its calls block: they belong `aside`.
struct RawClient: Sendable {
  let descriptor: CInt

  enum Trouble: Error { case system(String, CInt) }

  /// Connects to a port of this machine, from one of the loopback network's many addresses.
  init(port: UInt16, from source: String = "127.0.0.1", receiveBuffer: CInt? = nil) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Trouble.system("socket", errno) }
    if var size = receiveBuffer {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    }
    var one: CInt = 1
    let tcp = CInt(IPPROTO_TCP)
    setsockopt(descriptor, tcp, TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    guard let address = IPAddress(parsing: source) else { throw Trouble.system("address", EINVAL) }
    let bound = Endpoint(address, port: 0).withSocketAddress { bind(descriptor, $0, $1) }
    guard bound == 0 else { throw Trouble.system("bind", errno) }
    let target = Endpoint(.v4(0x7F00_0001), port: port)
    guard target.withSocketAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
      throw Trouble.system("connect", errno)
    }
  }

  /// Sends all bytes, unless the other end closes meanwhile.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Reads until the other end closes, at most for `patience`; whether it closed.
  func isClosed(within patience: Duration) async -> Bool {
    await aside { [descriptor] in
      let end = MonotonicClock.now() + patience
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let left = (end - MonotonicClock.now()).wholeMilliseconds
        guard left > 0 else { return false }
        var poll = pollfd(descriptor: descriptor)
        guard Glibc.poll(&poll, 1, CInt(clamping: left)) > 0 else { continue }
        if recv(descriptor, &buffer, buffer.count, 0) <= 0 { return true }
      }
    }
  }

  /// Connects, and sends something, while the main actor takes it in.
  static func connect(
    port: UInt16, from source: String = "127.0.0.1", sending bytes: [UInt8] = []
  ) async throws -> RawClient {
    try await aside {
      Swift.Result {
        let client = try RawClient(port: port, from: source)
        client.send(bytes)
        return client
      }
    }.get()
  }

  func close() { Glibc.close(descriptor) }
}

extension pollfd {
  fileprivate init(descriptor: CInt) {
    self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }
}

extension Packet {
  /// A packet of a kind and payload length that this version has.
  static func sample(
    _ kind: PacketKind = .sealed, payload count: Int = 304, number: UInt64 = 1
  ) -> Packet {
    var id = PacketID()
    withUnsafeMutableBytes(of: &id) { $0.storeBytes(of: number, as: UInt64.self) }
    return Packet(
      kind: kind, hopLimit: 1, time: Timestamp(milliseconds: number), id: id,
      destination: kind == .hello ? .everyone : Fingerprint(value: 9),
      payload: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(number)) })
  }
}
