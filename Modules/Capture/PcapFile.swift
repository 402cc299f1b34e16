/// The records of a pcap file (draft-ietf-opsawg-pcap), in both byte orders and resolutions.
///
/// libpcap reads them too, through the C library and into a buffer of its own, which was a tenth of
/// all the time that a large capture took.
final class PcapFile {
  /// Larger records are damage; as libpcap has it.
  static let maximumRecordLength: UInt32 = 256 * 1_024
  private static let headerLength = 24
  private static let recordHeaderLength = 16
  private static let microseconds: UInt32 = 0xA1B2_C3D4
  private static let nanoseconds: UInt32 = 0xA1B2_3C4D

  private let input: InputFile
  private let linkType: LinkType
  private let isBigEndian: Bool
  private let isNano: Bool
  /// Before version 2.4 the two lengths of a record may stand the other way round.
  private let mayBeSwapped: Bool
  private var count = 0

  /// Whether a file that begins with this word, read with the big end first, is one.
  static func isMagic(_ word: UInt32) -> Bool {
    [microseconds, nanoseconds].contains(word)
      || [microseconds, nanoseconds].contains(word.byteSwapped)
  }

  init(_ input: InputFile) throws(CaptureError) {
    self.input = input
    let header = try input.look(Self.headerLength)
    guard header.count == Self.headerLength, let magic = header.bytes.load(0, as: UInt32.self)
    else { throw .cut(offset: 0, reason: "\(header.count) bytes of the file's header") }
    isBigEndian = magic == Self.microseconds || magic == Self.nanoseconds
    isNano = [magic, magic.byteSwapped].contains(Self.nanoseconds)
    let reader = BlockReader(bytes: header, isBigEndian: isBigEndian)
    let (major, minor) = (reader.load(4, UInt16.self) ?? 0, reader.load(6, UInt16.self) ?? 0)
    guard major == 2 else {
      throw .damaged(offset: 4, reason: "pcap of version \(major).\(minor), which is not read")
    }
    mayBeSwapped = minor < 4
    // The high bits say whether frames have a check sequence at their end.
    linkType = LinkType((reader.load(20, UInt32.self) ?? 0) & 0x03FF_FFFF)
    input.use(Self.headerLength)
  }

  /// Lends the next record to `body`; false at the end of the file.
  func next(_ body: (RecordInfo, RawSpan) -> Void) throws(CaptureError) -> Bool {
    let start = input.position
    let header = try input.look(Self.recordHeaderLength)
    if header.count == 0 { return false }
    let reader = BlockReader(bytes: header, isBigEndian: isBigEndian)
    guard let seconds = reader.load(0, UInt32.self), let fraction = reader.load(4, UInt32.self),
      var captured = reader.load(8, UInt32.self), var original = reader.load(12, UInt32.self)
    else { throw .cut(offset: start, reason: "\(header.count) bytes of a record's header") }
    if mayBeSwapped, captured > original { swap(&captured, &original) }
    guard captured <= Self.maximumRecordLength else {
      throw .damaged(offset: start, reason: "a record of \(captured) bytes")
    }
    let whole = Self.recordHeaderLength + Int(captured)
    let record = try input.look(whole)
    guard record.count == whole else {
      let read = record.count - Self.recordHeaderLength
      throw .cut(
        offset: start, reason: "a record of \(captured) bytes, of which \(read) are there")
    }
    count += 1
    // Both are 32 bits without a sign: nothing here can overflow.
    let time = Int64(seconds) * 1_000_000_000 + Int64(fraction) * (isNano ? 1 : 1_000)
    body(
      RecordInfo(
        number: count, time: CaptureTime(nanoseconds: time), linkType: linkType, interface: "",
        direction: nil, originalLength: Int(original)),
      record.bytes.extracting(droppingFirst: Self.recordHeaderLength))
    input.use(whole)
    return true
  }
}
