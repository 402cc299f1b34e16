/// How the bytes of a record are to be read: LINKTYPE values as tcpdump.org lists them.
public enum LinkType: Hashable, Sendable {
  /// LINKTYPE_USER0, 147: one packet of ours a record (PROTOCOL, section 9).
  case packets
  /// No link layer at all: the next bytes of a stream.
  case stream
  /// LINKTYPE_ETHERNET, 1.
  case ethernet
  /// LINKTYPE_NULL, 0, and LINKTYPE_LOOP, 108: an address family, in either byte order.
  case loopback
  /// LINKTYPE_RAW, 101, LINKTYPE_IPV4, 228, and LINKTYPE_IPV6, 229: IP at once.
  case internet
  /// LINKTYPE_LINUX_SLL, 113, and LINKTYPE_LINUX_SLL2, 276: what `-i any` captures.
  case linuxCooked
  case linuxCooked2
  /// LINKTYPE_BLUETOOTH_HCI_H4, 187.
  case bluetoothH4
  /// LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR, 201: a direction before it.
  case bluetoothH4WithDirection
  /// LINKTYPE_BLUETOOTH_LINUX_MONITOR, 254: adapter and kind before it.
  case bluetoothMonitor
  case other(UInt32)

  /// From a file's or libpcap's number.
  ///
  /// libpcap has two of its own for raw IP, 12 and 14.
  init(_ value: UInt32) {
    switch value {
    case 147: self = .packets
    case 1: self = .ethernet
    case 0, 108: self = .loopback
    case 12, 14, 101, 228, 229: self = .internet
    case 113: self = .linuxCooked
    case 276: self = .linuxCooked2
    case 187: self = .bluetoothH4
    case 201: self = .bluetoothH4WithDirection
    case 254: self = .bluetoothMonitor
    default: self = .other(value)
    }
  }
}
