/// The header of a TCP segment (RFC 9293).
struct TCPSegment {
  let source: UInt16
  let destination: UInt16
  let sequence: UInt32
  /// Nil without ACK.
  let acknowledgment: UInt32?
  let isSYN: Bool
  let isRST: Bool
  /// Where the data lies in the record.
  let data: Range<Int>

  /// Nil where the header makes no sense.
  init?(_ bytes: RawSpan, in packet: InternetPacket) {
    let start = packet.payload.lowerBound
    guard packet.payload.count >= 20, let source = bytes.load(start, as: UInt16.self),
      let destination = bytes.load(start + 2, as: UInt16.self),
      let sequence = bytes.load(start + 4, as: UInt32.self),
      let acknowledgment = bytes.load(start + 8, as: UInt32.self)
    else { return nil }
    let headerLength = Int(bytes.byte(at: start + 12) >> 4) * 4
    guard headerLength >= 20, headerLength <= packet.payload.count else { return nil }
    let flags = bytes.byte(at: start + 13)
    self.source = source
    self.destination = destination
    self.sequence = sequence
    self.acknowledgment = flags & 0x10 == 0 ? nil : acknowledgment
    isSYN = flags & 2 != 0
    isRST = flags & 4 != 0
    data = start + headerLength..<packet.payload.upperBound
  }
}
