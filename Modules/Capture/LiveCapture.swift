internal import CPcap
internal import Glibc
internal import Synchronization

/// What crosses a network interface now, through libpcap.
///
/// One thread at a time. It ends when the process is told to: SIGINT and SIGTERM end the capture,
/// not the process, from the first one on.
final class LiveCapture {
  /// Enough for every packet, segments put together by the network card too.
  private static let snapshotLength: Int32 = 262_144
  /// How long a signal may wait, in milliseconds.
  private static let pollTime: Int32 = 200
  private static let stopped = Atomic(false)
  /// The address of the capture that a signal wakes; 0 when there is none.
  private static let waiting = Atomic(UInt(0))

  private let handle: OpaquePointer
  private let linkType: LinkType
  private let name: String
  private var count = 0

  init(interface: String) throws(CaptureError) {
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let made = pcap_create(interface, &message) else {
      throw .system(
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    handle = made
    name = interface
    pcap_set_snaplen(made, Self.snapshotLength)
    pcap_set_promisc(made, 1)
    pcap_set_timeout(made, Self.pollTime)
    // Otherwise a quiet link's packets are shown minutes late.
    pcap_set_immediate_mode(made, 1)
    pcap_set_tstamp_precision(made, PCAP_TSTAMP_PRECISION_NANO)
    let status = pcap_activate(made)
    guard status >= 0 else {
      let error = Self.error(status, made, interface)
      pcap_close(made)
      throw error
    }
    linkType = LinkType(UInt32(bitPattern: pcap_datalink(made)))
    for number in [SIGINT, SIGTERM] {
      // libpcap goes on waiting for a packet after an interrupted wait, unless it is told not to;
      // pcap_breakloop may be called from a signal's handler.
      signal(number) { _ in
        LiveCapture.stopped.store(true, ordering: .relaxed)
        let address = LiveCapture.waiting.load(ordering: .relaxed)
        if let handle = OpaquePointer(bitPattern: address) { pcap_breakloop(handle) }
      }
    }
    Self.waiting.store(UInt(bitPattern: made), ordering: .relaxed)
  }

  deinit {
    Self.waiting.store(0, ordering: .relaxed)
    pcap_close(handle)
  }

  /// Packets that came faster than they were read.
  var leftOut: Int {
    var statistics = pcap_stat()
    return pcap_stats(handle, &statistics) == 0 ? Int(statistics.ps_drop) : 0
  }

  /// Lends the next record to `body`, after waiting for it; false when the process is told to end.
  func next(_ body: (RecordInfo, RawSpan) -> Void) throws(CaptureError) -> Bool {
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    while !Self.stopped.load(ordering: .relaxed) {
      let status = pcap_next_ex(handle, &header, &data)
      if status == 0 || status == PCAP_ERROR_BREAK { continue }
      guard status == 1 else {
        throw .system(pcap_geterr(handle).map { String(cString: $0) } ?? "unreadable")
      }
      guard let header, let data else { continue }
      count += 1
      let isNano = pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO
      let stamp = header.pointee.ts
      let time =
        Int64(stamp.tv_sec) &* 1_000_000_000 &+ Int64(stamp.tv_usec) &* (isNano ? 1 : 1_000)
      let info = RecordInfo(
        number: count, time: CaptureTime(nanoseconds: time), linkType: linkType, interface: name,
        direction: nil, originalLength: Int(header.pointee.len))
      body(info, UnsafeRawBufferPointer(start: data, count: Int(header.pointee.caplen)).bytes)
      return true
    }
    return false
  }

  private static func error(
    _ status: Int32, _ handle: OpaquePointer, _ interface: String
  ) -> CaptureError {
    switch status {
    case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED:
      return .refused(
        "capturing wants the capability CAP_NET_RAW",
        hint: "run it as root, or grant it once and for all: "
          + "sudo setcap cap_net_raw+ep \"$(command -v airlink-packetdump)\"")
    case PCAP_ERROR_NO_SUCH_DEVICE:
      return .refused("there is no such interface", hint: "there are \(interfaces)")
    case PCAP_ERROR_IFACE_NOT_UP:
      return .refused(
        "the interface is not up", hint: "sudo ip link set \(interface) up")
    default:
      return .system(
        pcap_geterr(handle).map { String(cString: $0) } ?? String(cString: pcap_statustostr(status))
      )
    }
  }

  /// The names of what can be captured from.
  private static var interfaces: String {
    var first: UnsafeMutablePointer<pcap_if_t>?
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard pcap_findalldevs(&first, &message) == 0, let first else { return "none" }
    defer { pcap_freealldevs(first) }
    let names = sequence(first: first) { $0.pointee.next }
      .compactMap { device in device.pointee.name.map { String(cString: $0) } }
    return names.prefix(16).joined(separator: ", ")
  }
}

/// Versions of the libraries that are captured with.
public enum CaptureLibraries {
  public static var pcap: String {
    let words = String(cString: pcap_lib_version()).split(separator: " ")
    return words.count > 2 ? String(words[2]) : "unknown"
  }
}
