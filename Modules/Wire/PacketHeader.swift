/// What kind of payload a packet carries.
public enum PacketKind: Hashable, Sendable, BitwiseCopyable {
  case hello
  case sealed
  case voice
  /// A kind of a later version: skipped and not relayed, kept so that tools can show it.
  case unknown(UInt8)

  public init(rawValue: UInt8) {
    switch rawValue {
    case 1: self = .hello
    case 2: self = .sealed
    case 3: self = .voice
    default: self = .unknown(rawValue)
    }
  }

  public var rawValue: UInt8 {
    switch self {
    case .hello: 1
    case .sealed: 2
    case .voice: 3
    case .unknown(let value): value
    }
  }

  /// The most hops a packet of this kind may have left.
  public var maximumHopLimit: UInt8 {
    switch self {
    case .hello: 2
    case .voice: 1
    case .sealed, .unknown: PacketHeader.maximumHopLimit
    }
  }

  /// Whether a payload of `count` bytes can be of this kind.
  public func allowsPayload(ofLength count: Int) -> Bool {
    switch self {
    case .hello: Hello.payloadLengths.contains(count)
    case .sealed: SealedPayload.isLength(count)
    case .voice: VoiceFrame.lengths.contains(count)
    case .unknown: true
    }
  }
}

/// The 44 bytes before a packet's payload (PROTOCOL, section 2).
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 2 | magic `A1 1C` |
/// | 2 | 1 | version |
/// | 3 | 1 | kind |
/// | 4 | 1 | hop limit, 1…15: all that changes on the way |
/// | 5 | 1 | flags |
/// | 6 | 2 | payload length |
/// | 8 | 4 | CRC-32C over the header with hop limit and CRC as zero, then the payload |
/// | 12 | 8 | time, milliseconds since 1970-01-01 UTC |
/// | 20 | 16 | id |
/// | 36 | 8 | destination |
public struct PacketHeader: Hashable, Sendable, BitwiseCopyable {
  public static let byteCount = 44
  public static let magic: (UInt8, UInt8) = (0xA1, 0x1C)
  public static let version: UInt8 = 1
  public static let maximumHopLimit: UInt8 = 15
  public static let maximumPayloadLength = 8_240
  static let hopLimitOffset = 4
  static let crcOffset = 8

  public let version: UInt8
  public let kind: PacketKind
  public let hopLimit: UInt8
  public let flags: UInt8
  public let payloadLength: UInt16
  public let crc: UInt32
  public let time: Timestamp
  public let id: PacketID
  public let destination: Fingerprint

  /// Header and payload together.
  public var packetLength: Int { Self.byteCount + Int(payloadLength) }

  /// Reads the header at the start of `bytes`, without looking at the CRC or at the payload.
  ///
  /// Nil when fewer than 44 bytes are there or when they cannot be a header of any version: no
  /// magic, a payload length over 8,240, a hop limit of 0 or over 15.
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount >= Self.byteCount else { return nil }
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
      Value(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
    }
    let magic: UInt16 = load(0)
    let hopLimit: UInt8 = load(4)
    let length: UInt16 = load(6)
    guard magic == 0xA11C, (1...Self.maximumHopLimit).contains(hopLimit),
      length <= Self.maximumPayloadLength,
      let id = PacketID(bytes, at: 20), let destination = Fingerprint(bytes, at: 36)
    else { return nil }
    version = load(2)
    kind = PacketKind(rawValue: load(3))
    self.hopLimit = hopLimit
    flags = load(5)
    payloadLength = length
    crc = load(8)
    time = Timestamp(milliseconds: load(12))
    self.id = id
    self.destination = destination
  }
}
