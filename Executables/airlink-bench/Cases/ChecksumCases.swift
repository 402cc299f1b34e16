internal import CCRC32C
internal import Glibc
internal import Wire

/// CRC-32C over the largest packet, against copying it.
enum ChecksumCases {
  static let accelerated = Subject(
    summary: "CRC-32C of a packet of 8,284 bytes", limit: "copying it"
  ) { duration in
    var measurement = measure(duration) { airlink_crc32c(0, $0, $1) }
    if airlink_crc32c_is_accelerated() == 0 {
      measurement.excuse = "this processor has no instruction for it"
    }
    return measurement
  }

  static let portable = Subject(
    summary: "the same by tables, for processors without the instruction", limit: "copying it"
  ) { duration in measure(duration) { airlink_crc32c_portable(0, $0, $1) } }

  private static func measure(
    _ duration: Duration, _ checksum: (UnsafePointer<UInt8>, Int) -> UInt32
  ) -> Measurement {
    let packet = Block(
      [UInt8](repeating: 0xA5, count: PacketHeader.byteCount + PacketHeader.maximumPayloadLength))
    let copy = Block(count: packet.count)
    let times = withoutActuallyEscaping(checksum) { checksum in
      Turns(
        subject: { count in for _ in 0..<count { keep(checksum(packet.bytes, packet.count)) } },
        limit: { count in
          for _ in 0..<count {
            memcpy(copy.bytes, packet.bytes, packet.count)
            keep(copy)
          }
        }
      ).measure(for: duration)
    }
    return Measurement(subject: times.subject, limit: times.limit, bytes: packet.count)
  }
}
