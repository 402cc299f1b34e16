/// Names one packet on the mesh; random.
public struct PacketID: FixedBytes {
  private var words: (UInt64, UInt64) = (0, 0)
  public init() {}

  public static func == (a: Self, b: Self) -> Bool { a.words == b.words }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }
}

/// Names one message for its whole life, however often it is sent again.
public struct MessageID: FixedBytes {
  private var words: (UInt64, UInt64) = (0, 0)
  public init() {}

  /// On first sending the packet's id is the message's id (PROTOCOL, section 5).
  public init(_ id: PacketID) {
    self = unsafe unsafeBitCast(id, to: MessageID.self)
  }

  public static func == (a: Self, b: Self) -> Bool { a.words == b.words }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }
}

extension PacketID {
  /// The id of the packet that carries a message the first time.
  public init(_ id: MessageID) {
    self = unsafe unsafeBitCast(id, to: PacketID.self)
  }
}

/// The first 8 bytes of SHA-256(signing key ‖ agreement key): it addresses packets.
public struct Fingerprint: FixedBytes {
  private var word: UInt64 = 0
  public init() {}

  /// The fingerprint as an unsigned big-endian integer, the order in which glare is decided.
  public var value: UInt64 { UInt64(bigEndian: word) }
  public init(value: UInt64) { word = value.bigEndian }

  /// The destination that means everyone.
  public static let everyone = Fingerprint(value: .max)

  /// The person's number: the first 40 bits.
  public var number: Number { Number(self) }
}

/// One link of this run, never used again for another.
public struct LinkID: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static func < (a: LinkID, b: LinkID) -> Bool { a.rawValue < b.rawValue }
  public var description: String { "link \(rawValue)" }
}
