internal import Glibc

/// What a file turned out to be.
public enum CaptureFormat: String, Hashable, Sendable {
  case pcap
  case pcapng
  case btsnoop
  /// No file: what crosses an interface now.
  case live
  /// Packets with nothing around them.
  case stream
}

/// Reads the records of a capture one after the other, whatever format it has.
///
/// The first bytes say which: the magic numbers of pcap (both byte orders, micro- and nanoseconds)
/// and pcapng, and btsnoop's; anything else is a stream of packets with nothing around them.
public final class CaptureReader {
  /// A stream is read in slices of at most this many bytes.
  static let sliceLength = 16 * 1_024

  private enum Source {
    case pcap(PcapFile)
    case pcapng(PcapngFile)
    case btsnoop(BtsnoopFile)
    case live(LiveCapture)
    case stream(InputFile)
  }

  public let format: CaptureFormat
  private let source: Source
  private var slices = 0

  /// Opens a file.
  public convenience init(path: String) throws(CaptureError) {
    try self.init(InputFile(path: path))
  }

  /// Reads from a descriptor, such as standard input's, which it closes at the end.
  public convenience init(descriptor: Int32) throws(CaptureError) {
    try self.init(InputFile(descriptor: descriptor))
  }

  /// Captures from a network interface, until the process is told to end.
  public init(interface: String) throws(CaptureError) {
    format = .live
    source = .live(try LiveCapture(interface: interface))
  }

  private init(_ input: InputFile) throws(CaptureError) {
    let first = Array(try input.look(BtsnoopFile.magic.count))
    if let tool = Self.compressions.first(where: { first.starts(with: $0.magic) })?.tool {
      throw .refused(
        "it is compressed", hint: "\(tool) -dc FILE | airlink-packetdump shows what is in it")
    }
    format = Self.format(of: first)
    switch format {
    case .pcap: source = .pcap(try PcapFile(input))
    case .pcapng: source = .pcapng(PcapngFile(input))
    case .btsnoop: source = .btsnoop(try BtsnoopFile(input))
    case .live, .stream: source = .stream(input)
    }
  }

  /// How compressed files begin, and what opens them; none of these can begin a packet.
  private static let compressions: [(magic: [UInt8], tool: String)] = [
    ([0x1F, 0x8B], "gzip"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz"), (Array("BZh".utf8), "bzip2"),
  ]

  /// Packets of a live capture that came faster than they were read.
  public var leftOut: Int { if case .live(let capture) = source { capture.leftOut } else { 0 } }

  /// Lends the next record to `body`; false at the end.
  public func next(_ body: (RecordInfo, RawSpan) -> Void) throws(CaptureError) -> Bool {
    switch source {
    case .pcap(let file): return try file.next(body)
    case .pcapng(let file): return try file.next(body)
    case .btsnoop(let file): return try file.next(body)
    case .live(let capture): return try capture.next(body)
    case .stream(let input):
      let slice = try input.lookAtSome(Self.sliceLength)
      guard slice.count > 0 else { return false }
      input.use(slice.count)
      slices += 1
      let info = RecordInfo(
        number: slices, time: nil, linkType: .stream, interface: "stream", direction: nil,
        originalLength: slice.count)
      body(info, slice.bytes)
      return true
    }
  }

  static func format(of first: [UInt8]) -> CaptureFormat {
    if first == BtsnoopFile.magic { return .btsnoop }
    guard first.count >= 4 else { return .stream }
    let magic = first.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    switch magic {
    case PcapngFile.sectionHeader: return .pcapng
    case let word where PcapFile.isMagic(word): return .pcap
    default: return .stream
    }
  }
}
