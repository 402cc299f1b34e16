internal import CPcap
internal import Glibc

/// The records of a pcap file, read by libpcap.
///
/// One thread at a time; it closes what it reads when it goes.
final class PcapFile {
  /// The file's header.
  private static let headerLength: UInt64 = 24
  /// What stands before each record's bytes.
  private static let recordHeaderLength: UInt64 = 16

  private let handle: OpaquePointer
  private let linkType: LinkType
  private var offset = headerLength
  private var count = 0

  init(_ input: InputFile) throws(CaptureError) {
    guard let stream = input.give() else { throw .system("nothing to read") }
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    let opened = pcap_fopen_offline_with_tstamp_precision(
      stream, UInt32(PCAP_TSTAMP_PRECISION_NANO), &message)
    guard let opened else {
      fclose(stream)
      throw .damaged(offset: 0, reason: Self.text(message))
    }
    handle = opened
    linkType = LinkType(UInt32(bitPattern: pcap_datalink(opened)))
  }

  deinit { pcap_close(handle) }

  /// Lends the next record to `body`; false at the end of the file.
  func next(_ body: (RecordInfo, RawSpan) -> Void) throws(CaptureError) -> Bool {
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    switch pcap_next_ex(handle, &header, &data) {
    case 1: break
    case PCAP_ERROR_BREAK: return false
    default:
      throw .cut(
        offset: offset, reason: pcap_geterr(handle).map { String(cString: $0) } ?? "unreadable")
    }
    guard let header, let data else { return false }
    let bytes = UnsafeRawBufferPointer(start: data, count: Int(header.pointee.caplen))
    count += 1
    offset += Self.recordHeaderLength + UInt64(bytes.count)
    // The file has 32 bits without a sign, which libpcap reads with one.
    // With nanoseconds asked for they stand where the microseconds would.
    let stamp = header.pointee.ts
    let unsigned = UInt32(truncatingIfNeeded: stamp.tv_sec)
    let (seconds, overflow) = Int64(unsigned).multipliedReportingOverflow(by: 1_000_000_000)
    let time = seconds.addingReportingOverflow(Int64(stamp.tv_usec))
    body(
      RecordInfo(
        number: count,
        time: overflow || time.overflow ? nil : CaptureTime(nanoseconds: time.partialValue),
        linkType: linkType, interface: "", direction: nil,
        originalLength: Int(header.pointee.len)),
      bytes.bytes)
    return true
  }

  static func text(_ message: [CChar]) -> String {
    String(
      decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Versions of the libraries that captures are read with.
public enum CaptureLibraries {
  public static var pcap: String {
    let words = String(cString: pcap_lib_version()).split(separator: " ")
    return words.count > 2 ? String(words[2]) : "unknown"
  }
}
