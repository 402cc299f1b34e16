internal import CCRC32C
internal import CommandLine
internal import Wire

/// Reading a packet that lies in a receive buffer, against the CRC it cannot do without.
enum PacketCases {
  static let decode = Subject(
    summary: "check and read a sealed packet of 348 bytes where it lies", limit: "its CRC alone"
  ) { duration in
    let packet = Packet(
      kind: .sealed, hopLimit: 7, time: Timestamp(milliseconds: 1_764_489_600_000), id: PacketID(),
      destination: Fingerprint(value: 1), payload: [UInt8](repeating: 0x5A, count: 304))
    let block = Block(packet.encoded)
    let bytes = UnsafeRawBufferPointer(start: block.bytes, count: block.count)
    guard read(bytes) == packet.header else { throw Failure("the packet is not read back") }
    let times = Turns(
      subject: { count in for _ in 0..<count { keep(read(bytes)) } },
      limit: { count in
        for _ in 0..<count { keep(airlink_crc32c(0, block.bytes, block.count)) }
      }
    ).measure(for: duration)
    return Measurement(subject: times.subject, limit: times.limit, bytes: block.count)
  }

  @inline(__always) private static func read(_ bytes: UnsafeRawBufferPointer) -> PacketHeader? {
    guard let view = PacketView(whole: bytes.bytes), view.refusal == nil else { return nil }
    return view.header
  }
}
