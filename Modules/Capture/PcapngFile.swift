/// The records of a pcapng file (draft-ietf-opsawg-pcapng).
///
/// libpcap reads pcapng too, but gives neither an interface's name nor a record's direction, and
/// refuses files whose interfaces differ: all three are what a node's capture is about.
final class PcapngFile {
  /// As libpcap has it: a block over 16 MiB is damage.
  static let maximumBlockLength: UInt32 = 16 * 1_024 * 1_024
  static let maximumInterfaces = 4_096
  static let sectionHeader: UInt32 = 0x0A0D_0D0A
  private static let minimumBlockLength: UInt32 = 12

  private enum BlockType {
    static let interface: UInt32 = 1
    static let obsoletePacket: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
  }

  private let input: InputFile
  private var isBigEndian = false
  private var interfaces: [PcapngInterface] = []
  private var blockStart: UInt64 = 0
  private var count = 0

  init(_ input: InputFile) { self.input = input }

  /// Lends the next record to `body`; false at the end of the file.
  func next(_ body: (RecordInfo, RawSpan) -> Void) throws(CaptureError) -> Bool {
    while let (type, reader) = try nextBlock() {
      switch type {
      case BlockType.interface: try addInterface(reader)
      case BlockType.enhancedPacket:
        try enhanced(reader, obsolete: false, body)
        return true
      case BlockType.obsoletePacket:
        try enhanced(reader, obsolete: true, body)
        return true
      case BlockType.simplePacket:
        try simple(reader, body)
        return true
      default: break
      }
    }
    return false
  }

  /// The next block's type, and all of it but the length at its end; nil at the end of the file.
  private func nextBlock() throws(CaptureError) -> (type: UInt32, BlockReader)? {
    blockStart = input.position
    var head = try input.look(12)
    if head.count == 0 { return nil }
    guard head.count >= 8 else { throw cut("\(head.count) bytes of a block's first 8") }
    var reader = BlockReader(bytes: head, isBigEndian: isBigEndian)
    // The same in either byte order.
    let isSection = reader.load(0) == Self.sectionHeader
    if isSection {
      try beginSection(head)
    } else if blockStart == 0 {
      throw damaged("no section header")
    }
    reader = BlockReader(bytes: head, isBigEndian: isBigEndian)
    guard let type = reader.load(0, UInt32.self), let length = reader.load(4, UInt32.self),
      length >= Self.minimumBlockLength, length <= Self.maximumBlockLength,
      length.isMultiple(of: 4)
    else { throw damaged("a block of a length that cannot be") }
    guard !isSection || length > Self.minimumBlockLength else {
      throw damaged("a section header that is too short")
    }
    head = try input.look(Int(length))
    guard head.count == length else {
      throw cut("a block of \(length) bytes, of which \(head.count) are there")
    }
    reader = BlockReader(bytes: head, isBigEndian: isBigEndian)
    guard reader.load(Int(length) - 4) == length else {
      throw damaged("a block's two lengths differ")
    }
    // It stays where it lies until the next look.
    input.use(Int(length))
    let body = UnsafeRawBufferPointer(rebasing: head[..<(Int(length) - 4)])
    return (type, BlockReader(bytes: body, isBigEndian: isBigEndian))
  }

  /// Reads the byte-order magic behind a section header's length.
  private func beginSection(_ head: UnsafeRawBufferPointer) throws(CaptureError) {
    switch head.bytes.load(8, as: UInt32.self) {
    case 0x1A2B_3C4D?: isBigEndian = true
    case 0x4D3C_2B1A?: isBigEndian = false
    case nil: throw cut("a section header")
    default: throw damaged("a section header without its byte-order magic")
    }
    interfaces.removeAll()
  }

  private func addInterface(_ reader: BlockReader) throws(CaptureError) {
    guard let type = reader.load(8, UInt16.self), let snapshot = reader.load(12, UInt32.self)
    else { throw damaged("an interface description that is too short") }
    guard interfaces.count < Self.maximumInterfaces else { throw damaged("too many interfaces") }
    var interface = PcapngInterface(
      linkType: LinkType(UInt32(type)), name: "interface \(interfaces.count)",
      snapshotLength: snapshot)
    reader.options(from: 16, to: reader.bytes.count) { code, value in
      switch (code, value.count) {
      case (2, 1...):
        let name = reader.bytes[value].prefix(PcapngInterface.maximumNameLength)
        interface.name = String(decoding: name, as: UTF8.self)
      case (9, 1): interface.resolution = TimestampResolution(reader.bytes[value.lowerBound])
      case (14, 8): interface.offsetSeconds = reader.load(value.lowerBound, Int64.self) ?? 0
      default: break
      }
    }
    interfaces.append(interface)
  }

  private func enhanced(
    _ reader: BlockReader, obsolete: Bool, _ body: (RecordInfo, RawSpan) -> Void
  ) throws(CaptureError) {
    let index =
      obsolete
      ? reader.load(8, UInt16.self).map(Int.init) : reader.load(8, UInt32.self).map(Int.init)
    guard let index, let high = reader.load(12, UInt32.self),
      let low = reader.load(16, UInt32.self), let captured = reader.load(20, UInt32.self),
      let original = reader.load(24, UInt32.self), 28 + Int(captured) <= reader.bytes.count
    else { throw damaged("a packet longer than its block") }
    guard interfaces.indices.contains(index) else {
      throw damaged("a packet of interface \(index), which is not described")
    }
    let data = 28..<28 + Int(captured)
    var direction: Direction?
    reader.options(from: (data.upperBound + 3) / 4 * 4, to: reader.bytes.count) { code, value in
      guard code == 2, value.count == 4, let flags = reader.load(value.lowerBound, UInt32.self)
      else { return }
      switch flags & 3 {
      case 1: direction = .inbound
      case 2: direction = .outbound
      default: break
      }
    }
    deliver(
      reader, data, interfaces[index], time: UInt64(high) << 32 | UInt64(low), direction,
      originalLength: Int(original), body)
  }

  private func simple(
    _ reader: BlockReader, _ body: (RecordInfo, RawSpan) -> Void
  ) throws(CaptureError) {
    guard let original = reader.load(8, UInt32.self) else {
      throw damaged("a packet longer than its block")
    }
    guard let interface = interfaces.first else {
      throw damaged("a packet of interface 0, which is not described")
    }
    let snapshot = interface.snapshotLength == 0 ? UInt32.max : interface.snapshotLength
    let length = min(Int(min(original, snapshot)), reader.bytes.count - 12)
    deliver(
      reader, 12..<12 + length, interface, time: nil, nil, originalLength: Int(original), body)
  }

  private func deliver(
    _ reader: BlockReader, _ data: Range<Int>, _ interface: PcapngInterface, time: UInt64?,
    _ direction: Direction?, originalLength: Int, _ body: (RecordInfo, RawSpan) -> Void
  ) {
    count += 1
    let info = RecordInfo(
      number: count, time: time.flatMap { interface.time($0) }, linkType: interface.linkType,
      interface: interface.name, direction: direction, originalLength: originalLength)
    body(info, reader.bytes.bytes.extracting(data))
  }

  private func cut(_ reason: String) -> CaptureError { .cut(offset: blockStart, reason: reason) }
  private func damaged(_ reason: String) -> CaptureError {
    .damaged(offset: blockStart, reason: reason)
  }
}
