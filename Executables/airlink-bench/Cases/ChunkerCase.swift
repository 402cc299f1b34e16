internal import CommandLine
internal import Glibc
internal import Wire

/// Putting the largest packets together from slices as a radio brings them, against copying these.
///
/// The stream goes round and round without a seam. Its packets begin anywhere in a slice, as they do
/// when a link's bytes come in whatever pieces the system has.
enum ChunkerCase {
  private static let sliceLength = 180
  /// As many as a packet takes, but for its last four bytes.
  private static let slicesEach = PacketHeader.maximumPayloadLength / sliceLength + 1
  private static let packetLength = PacketHeader.byteCount + PacketHeader.maximumPayloadLength
  /// Packets after which the slices begin where they began: 180 divides 45 of them.
  private static let packetsAround = 45

  static let slices = Subject(
    summary: "a largest packet's worth of bytes out of \(slicesEach) slices of \(sliceLength)",
    limit: "copying the slices"
  ) { duration in
    let stream = stream()
    let reader = Reader(stream)
    let copier = Copier(stream)
    reader.take(slices: stream.count / sliceLength)
    let statistics = reader.chunker.statistics
    guard statistics.packets == packetsAround, statistics.garbage == 0 else {
      throw Failure("the stream does not come out as it went in")
    }
    let subject = { (count: Int) in reader.take(slices: count * slicesEach) }
    let times = Turns(subject: subject, limit: { copier.take(slices: $0 * slicesEach) })
      .measure(for: duration)
    var measurement = Measurement(
      subject: times.subject, limit: times.limit, bytes: slicesEach * sliceLength)
    measurement.figures[.allocations] = Allocations.each(packetsAround * slicesEach, subject)
    guard reader.chunker.statistics.garbage == 0 else { throw Failure("bytes were lost") }
    return measurement
  }

  private static func stream() -> Block {
    var random = SplitMix64(seed: 1)
    var bytes: [UInt8] = []
    for number in 0..<packetsAround {
      bytes +=
        Packet(
          kind: .sealed, hopLimit: 7, time: Timestamp(milliseconds: 1_764_489_600_000),
          id: PacketID([UInt8](repeating: UInt8(number), count: PacketID.byteCount)) ?? PacketID(),
          destination: Fingerprint(value: 1),
          payload: (0..<PacketHeader.maximumPayloadLength).map { _ in
            UInt8(truncatingIfNeeded: random.next())
          }
        ).encoded
    }
    return Block(bytes)
  }

  /// Goes round a stream slice by slice.
  private struct Cursor {
    let stream: Block
    var offset = 0

    mutating func next() -> UnsafeMutablePointer<UInt8> {
      defer {
        offset += sliceLength
        if offset == stream.count { offset = 0 }
      }
      return stream.bytes + offset
    }
  }

  private final class Reader {
    var chunker = StreamChunker(.lossy)
    private var cursor: Cursor

    init(_ stream: Block) { cursor = Cursor(stream: stream) }

    func take(slices: Int) {
      for _ in 0..<slices {
        let slice = UnsafeRawBufferPointer(start: cursor.next(), count: sliceLength)
        let verdict = chunker.append(slice.bytes, now: .zero) { keep($0.header.id) }
        precondition(verdict == nil, "a link with nothing but packets is closed")
      }
    }
  }

  private final class Copier {
    private var cursor: Cursor
    private let packet = Block(count: packetLength)
    private var filled = 0

    init(_ stream: Block) { cursor = Cursor(stream: stream) }

    func take(slices: Int) {
      for _ in 0..<slices {
        let slice = cursor.next()
        if filled + sliceLength > packet.count { filled = 0 }
        memcpy(packet.bytes + filled, slice, sliceLength)
        filled += sliceLength
      }
      keep(packet)
    }
  }
}
