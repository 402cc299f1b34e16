/// The records of a btsnoop file, which libpcap does not read: what Android and btmon write.
///
/// A header of 16 bytes, then records behind a header of 24 each, big end first.
final class BtsnoopFile {
  static let magic = Array("btsnoop\0".utf8)
  /// Larger records are damage; as for pcap.
  static let maximumRecordLength: UInt32 = 256 * 1_024
  private static let headerLength = 16
  private static let recordHeaderLength = 24
  /// 1970 as the file counts: microseconds since the beginning of the year 0.
  private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

  /// How records are kept.
  private enum Kind: UInt32 {
    /// HCI packets without their H4 type, which the flags tell.
    case unencapsulated = 1_001
    case h4 = 1_002
    /// Linux's monitor channel: adapter and kind in the flags.
    case monitor = 2_001
  }

  private let input: InputFile
  private let kind: Kind
  private var record: [UInt8] = []
  private var count = 0

  init(_ input: InputFile) throws(CaptureError) {
    self.input = input
    let header = try input.look(Self.headerLength)
    guard header.count == Self.headerLength, let version = header.bytes.load(8, as: UInt32.self),
      let number = header.bytes.load(12, as: UInt32.self)
    else { throw .cut(offset: 0, reason: "\(header.count) bytes of the file's header") }
    guard version == 1 else { throw .damaged(offset: 8, reason: "a version other than 1") }
    guard let kind = Kind(rawValue: number) else {
      throw .damaged(offset: 12, reason: "btsnoop of type \(number), which is not read")
    }
    self.kind = kind
    input.use(Self.headerLength)
  }

  /// Lends the next record to `body`; false at the end of the file.
  func next(_ body: (RecordInfo, RawSpan) -> Void) throws(CaptureError) -> Bool {
    let start = input.position
    let header = try input.look(Self.recordHeaderLength)
    if header.count == 0 { return false }
    guard let original = header.bytes.load(0, as: UInt32.self),
      let captured = header.bytes.load(4, as: UInt32.self),
      let flags = header.bytes.load(8, as: UInt32.self),
      let time = header.bytes.load(16, as: Int64.self)
    else {
      throw .cut(offset: start, reason: "\(header.count) bytes of a record's header")
    }
    guard captured <= Self.maximumRecordLength else {
      throw .damaged(offset: start, reason: "a record of \(captured) bytes")
    }
    let whole = Self.recordHeaderLength + Int(captured)
    let bytes = try input.look(whole)
    guard bytes.count == whole else {
      let read = bytes.count - Self.recordHeaderLength
      throw .cut(
        offset: start, reason: "a record of \(captured) bytes, of which \(read) are there")
    }
    record.removeAll(keepingCapacity: true)
    let direction = beginRecord(flags)
    record.append(contentsOf: bytes[Self.recordHeaderLength...])
    input.use(whole)
    count += 1
    let since = time.subtractingReportingOverflow(Self.epoch)
    let nanoseconds = since.partialValue.multipliedReportingOverflow(by: 1_000)
    let isTime = !since.overflow && !nanoseconds.overflow
    let info = RecordInfo(
      number: count,
      time: isTime ? CaptureTime(nanoseconds: nanoseconds.partialValue) : nil,
      linkType: kind == .monitor ? .bluetoothMonitor : .bluetoothH4, interface: "",
      direction: direction, originalLength: Int(original))
    record.withUnsafeBytes { body(info, $0.bytes) }
    return true
  }

  /// Puts before the record what libpcap's link layers have there.
  private func beginRecord(_ flags: UInt32) -> Direction? {
    let direction: Direction = flags & 1 == 0 ? .outbound : .inbound
    switch kind {
    case .h4: return direction
    case .unencapsulated:
      // Bit 1: a command or an event, not data.
      record.append(flags & 2 == 0 ? 2 : direction == .outbound ? 1 : 4)
      return direction
    case .monitor:
      withUnsafeBytes(of: flags.bigEndian) { record.append(contentsOf: $0) }
      return nil
    }
  }
}
