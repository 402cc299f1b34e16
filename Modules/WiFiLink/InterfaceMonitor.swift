internal import CLinux
internal import Discovery
internal import EventLoop
internal import Glibc

/// Follows the machine's interfaces and addresses as they come and go (rtnetlink(7)).
@MainActor
final class InterfaceMonitor {
  /// Changes come in bursts: an interface, its address, its route.
  static let settling = Duration.milliseconds(200)

  private let descriptor: CInt
  private var watch: EventLoop.Watch?
  private var isDue = false
  private let changed: (NetworkSnapshot) -> Void

  /// Begins to follow; nil where the system has no netlink.
  init?(changed: @escaping (NetworkSnapshot) -> Void) {
    let type = CInt(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_NETLINK, type, CInt(NETLINK_ROUTE))
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size)) == 0
      }
    }
    guard isBound else {
      Glibc.close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.changed = changed
    watch = EventLoop.main.watch(descriptor, for: .read) { [weak self] _ in self?.drain() }
  }

  func stop() {
    if let watch { EventLoop.main.unwatch(watch) }
    watch = nil
    Glibc.close(descriptor)
  }

  /// What was changed is read anew from the system: a message lost to a full buffer costs nothing.
  private func drain() {
    withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 8) { buffer in
      var rounds = 0
      while rounds < 64,
        recv(descriptor, buffer.baseAddress, buffer.count, 0) > 0 || errno == ENOBUFS
      {
        rounds += 1
        errno = 0
      }
    }
    guard !isDue else { return }
    isDue = true
    EventLoop.main.after(Self.settling) { [weak self] in
      guard let self, self.watch != nil else { return }
      self.isDue = false
      if let snapshot = Self.snapshot() { self.changed(snapshot) }
    }
  }

  /// The interfaces and addresses of this moment; nil when the system does not tell.
  static func snapshot() -> NetworkSnapshot? {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return nil }
    defer { freeifaddrs(first) }
    var snapshot = NetworkSnapshot()
    var next = first
    while let entry = next?.pointee {
      next = entry.ifa_next
      let index = if_nametoindex(entry.ifa_name)
      let wanted = UInt32(IFF_UP | IFF_RUNNING)
      if entry.ifa_flags & wanted == wanted { snapshot.running.insert(index) }
      guard let pointer = entry.ifa_addr, let endpoint = Endpoint(pointer) else { continue }
      snapshot.addresses.insert(
        NetworkSnapshot.Address(
          endpoint.address.scoped(to: index), prefixLength: prefixLength(entry.ifa_netmask),
          interface: index))
    }
    return snapshot
  }

  /// The index of an interface given by its name or its number; nil when there is none.
  static func index(of scope: String) -> UInt32? {
    let index = if_nametoindex(scope)
    if index != 0 { return index }
    return UInt32(scope).flatMap { $0 > 0 ? $0 : nil }
  }

  /// The name of an interface; nil when it is gone.
  static func name(of index: UInt32) -> String? {
    var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
    guard if_indextoname(index, &name) != nil else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func prefixLength(_ mask: UnsafePointer<sockaddr>?) -> Int {
    guard let mask, let address = Endpoint(mask)?.address else { return 0 }
    return address.bytes.reduce(0) { $0 + $1.nonzeroBitCount }
  }
}
