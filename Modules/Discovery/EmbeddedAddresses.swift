internal import CAvahi
internal import Glibc

/// The address records of the embedded stack's host name.
///
/// libavahi-core would publish them itself, each with a reverse record. Of reverse records there is
/// one an address on the whole link, and every stack of this machine would claim it for a host name
/// of its own: the more nodes run here, the longer they would rename themselves before any of their
/// services is announced. So the addresses are published here, without reverse records.
final class EmbeddedAddresses {
  /// Addresses published at the most; what a machine has beyond is left out.
  static let maximumAddresses = 64

  private struct Record: Hashable {
    var interface: AvahiIfIndex
    var isV6: Bool
    /// As numbers, without a scope.
    var address: String
  }

  private let server: OpaquePointer
  private let calls: airlink_avahi_core
  private var groups: [Record: OpaquePointer] = [:]

  init(_ server: OpaquePointer, _ calls: airlink_avahi_core) {
    self.server = server
    self.calls = calls
  }

  /// Publishes what came since the last time and withdraws what went.
  func refresh() {
    let present = Self.present()
    for (record, group) in groups where !present.contains(record) {
      calls.avahi_s_entry_group_free(group)
      groups[record] = nil
    }
    for record in present where groups[record] == nil && groups.count < Self.maximumAddresses {
      groups[record] = publish(record)
    }
  }

  /// Publishes everything anew, under the name that the host has now.
  func republish() {
    withdraw()
    refresh()
  }

  func withdraw() {
    for group in groups.values { calls.avahi_s_entry_group_free(group) }
    groups = [:]
  }

  private func publish(_ record: Record) -> OpaquePointer? {
    guard let group = calls.avahi_s_entry_group_new(server, { _, _, _, _ in }, nil) else {
      return nil
    }
    let family = record.isV6 ? AVAHI_PROTO_INET6 : AVAHI_PROTO_INET
    var address = AvahiAddress()
    guard avahi_address_parse(record.address, AvahiProtocol(family), &address) != nil,
      calls.avahi_server_add_address(
        server, group, record.interface, AvahiProtocol(AVAHI_PROTO_UNSPEC),
        AVAHI_PUBLISH_NO_REVERSE, nil, &address) == 0,
      calls.avahi_s_entry_group_commit(group) == 0
    else {
      calls.avahi_s_entry_group_free(group)
      return nil
    }
    return group
  }

  /// The unicast addresses of the interfaces that are up and reach others of the link.
  private static func present() -> Set<Record> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var present: Set<Record> = []
    var next = first
    while let entry = next?.pointee {
      next = entry.ifa_next
      let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0
      let reaches = UInt32(IFF_MULTICAST | IFF_LOOPBACK)
      guard isUp, entry.ifa_flags & reaches != 0, let address = entry.ifa_addr else { continue }
      let family = Int32(address.pointee.sa_family)
      guard family == AF_INET || family == AF_INET6, let text = text(of: address) else { continue }
      present.insert(
        Record(
          interface: AvahiIfIndex(clamping: if_nametoindex(entry.ifa_name)),
          isV6: family == AF_INET6, address: text))
    }
    return present
  }

  private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
    let isV6 = Int32(address.pointee.sa_family) == AF_INET6
    let length = isV6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard
      getnameinfo(
        address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
    else { return nil }
    // `fe80::1%eth0`: the interface stands in the record's own field.
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
  }
}
