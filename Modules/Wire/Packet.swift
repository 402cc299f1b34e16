internal import CCRC32C

/// Why whole bytes with a header that holds are no packet for this version.
public enum PacketRefusal: Error, Hashable, Sendable, CaseIterable {
  /// Another version: skipped whole, not relayed.
  case otherVersion
  /// A kind this version does not know: skipped, not relayed.
  case unknownKind
  /// A payload length that its kind does not have.
  case badLength
}

/// A packet where it lies in a receive buffer, not yet copied.
public struct PacketView: ~Escapable {
  public let header: PacketHeader
  /// Header and payload.
  public let bytes: RawSpan

  /// A view of bytes whose header and CRC were checked.
  @_lifetime(copy bytes)
  init(checked header: PacketHeader, bytes: RawSpan) {
    self.header = header
    self.bytes = bytes
  }

  /// Checks that exactly one packet is in `bytes`, CRC included; nil when there is not.
  @_lifetime(copy bytes)
  public init?(whole bytes: RawSpan) {
    guard let header = PacketHeader(bytes), header.packetLength == bytes.byteCount,
      packetCRC(bytes) == header.crc
    else { return nil }
    self.header = header
    self.bytes = bytes
  }

  public var payload: RawSpan {
    @_lifetime(copy self)
    get { bytes.extracting(droppingFirst: PacketHeader.byteCount) }
  }

  /// What makes this no packet for this version, if anything does.
  public var refusal: PacketRefusal? {
    if header.version != PacketHeader.version { return .otherVersion }
    if case .unknown = header.kind { return .unknownKind }
    if !header.kind.allowsPayload(ofLength: Int(header.payloadLength)) { return .badLength }
    return nil
  }
}

/// A whole packet in memory of its own: header and payload as they go onto a link.
public struct Packet: Hashable, Sendable {
  public let header: PacketHeader
  /// Header and payload.
  public let encoded: [UInt8]

  public init(copying view: borrowing PacketView) {
    header = view.header
    encoded = unsafe view.bytes.withUnsafeBytes { unsafe Array($0) }
  }

  /// A copy with another hop limit, which the CRC does not cover.
  public init(copying view: borrowing PacketView, hopLimit: UInt8) {
    self.init(unsafe view.bytes.withUnsafeBytes { unsafe Array($0) }, hopLimit: hopLimit)
  }

  /// Makes a packet of this version, with flags 0.
  ///
  /// The length must be one that `kind` has and the hop limit within 1 and what it allows: both are
  /// our own doing, never the peer's.
  public init(
    kind: PacketKind, hopLimit: UInt8, time: Timestamp, id: PacketID, destination: Fingerprint,
    payload: [UInt8]
  ) {
    precondition(kind.allowsPayload(ofLength: payload.count), "a length that the kind has not")
    precondition((1...kind.maximumHopLimit).contains(hopLimit), "hop limit out of range")
    self.init(
      unchecked: PacketHeader.version, kind: kind.rawValue, hopLimit: hopLimit, flags: 0,
      time: time, id: id, destination: destination, payload: payload)
  }

  /// Any header that the chunker lets pass, for tests and tools.
  package init(
    unchecked version: UInt8, kind: UInt8, hopLimit: UInt8, flags: UInt8, time: Timestamp,
    id: PacketID, destination: Fingerprint, payload: [UInt8]
  ) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(PacketHeader.byteCount + payload.count)
    bytes.append(PacketHeader.magic.0)
    bytes.append(PacketHeader.magic.1)
    bytes.append(version)
    bytes.append(kind)
    bytes.append(hopLimit)
    bytes.append(flags)
    bytes.append(bigEndian: UInt16(payload.count))
    bytes.append(bigEndian: UInt32(0))
    bytes.append(bigEndian: time.milliseconds)
    bytes.append(id)
    bytes.append(destination)
    bytes.append(contentsOf: payload)
    var crc = unsafe packetCRC(bytes.span.bytes).bigEndian
    unsafe withUnsafeBytes(of: &crc) {
      for index in 0..<4 { bytes[PacketHeader.crcOffset + index] = unsafe $0[index] }
    }
    guard let header = unsafe PacketHeader(bytes.span.bytes) else {
      preconditionFailure("a header that no chunker lets pass")
    }
    self.header = header
    encoded = bytes
  }

  /// The same packet with another hop limit, which the CRC does not cover.
  public init(_ packet: Packet, hopLimit: UInt8) {
    self.init(packet.encoded, hopLimit: hopLimit)
  }

  private init(_ encoded: consuming [UInt8], hopLimit: UInt8) {
    precondition((1...PacketHeader.maximumHopLimit).contains(hopLimit), "hop limit out of range")
    var bytes = encoded
    bytes[PacketHeader.hopLimitOffset] = hopLimit
    guard let header = unsafe PacketHeader(bytes.span.bytes) else {
      preconditionFailure("the header held before")
    }
    self.header = header
    self.encoded = bytes
  }

  public var view: PacketView {
    @_lifetime(borrow self)
    get { unsafe PacketView(checked: header, bytes: encoded.span.bytes) }
  }

  public var payload: ArraySlice<UInt8> { encoded[PacketHeader.byteCount...] }
}

/// The CRC-32C of a whole packet, taking hop limit and CRC as zero.
///
/// The packet is at least a header long.
func packetCRC(_ packet: RawSpan) -> UInt32 {
  unsafe packet.withUnsafeBytes { bytes in
    // Whole words: a byte written over a word just stored would hold up the load that follows.
    let first = unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let second = unsafe UInt64(
      littleEndian: bytes.loadUnaligned(fromByteOffset: PacketHeader.crcOffset, as: UInt64.self))
    var header = (
      (first & ~(0xFF << (8 * UInt64(PacketHeader.hopLimitOffset)))).littleEndian,
      (second & ~0xFFFF_FFFF).littleEndian
    )
    let crc = unsafe airlink_crc32c(0, &header, 16)
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[16...])
    return unsafe airlink_crc32c(crc, rest.baseAddress, rest.count)
  }
}
