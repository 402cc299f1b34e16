public import Wire

/// Where and when a packet crossed a link, as a capture has it.
public struct Crossing: Hashable, Sendable {
  /// The record that brought its last byte, counted from 1.
  public var record: Int
  public var time: CaptureTime?
  /// Its place in `PacketReader.links`.
  public var link: Int
  public var direction: Direction?

  public init(record: Int, time: CaptureTime?, link: Int, direction: Direction?) {
    self.record = record
    self.time = time
    self.link = link
    self.direction = direction
  }
}

/// A sealed voice frame on a call's direct road: a datagram of its own (PROTOCOL, section 7).
public struct CallFrame: Hashable, Sendable {
  public let sequence: UInt32
  /// Of the datagram's payload.
  public let byteCount: Int

  public init?(_ bytes: RawSpan) {
    guard VoiceFrame.lengths.contains(bytes.byteCount),
      let sequence = bytes.load(0, as: UInt32.self)
    else { return nil }
    self.sequence = sequence
    byteCount = bytes.byteCount
  }
}

/// What a capture holds that is no packet.
public enum Loss: Hashable, Sendable {
  /// A record that should be one packet and is none.
  case noPacket(bytes: Int)
  /// A record that a snapshot length cut, and no packet any more.
  case cutRecord(captured: Int, original: Int)
  /// Bytes of a stream that ended up in no packet, and how many CRCs failed among them.
  case skipped(bytes: Int, badChecksums: Int)
  /// Bytes that crossed the link and that the capture has not; 0 where it cannot be said how many.
  case gap(bytes: Int)
  /// A node closes such a link (PROTOCOL, section 2); reading goes on.
  case misbehaved(StreamChunker.Misbehaviour)
  /// Bytes of a packet whose rest never came.
  case unfinished(bytes: Int)
  /// A link layer that is not read; told once for each.
  case unreadLinkType(UInt32)
  /// Parts of IP packets, which are not put together; told once for each pair of addresses.
  case fragments
}

/// Who is told what a capture holds, in its order.
public protocol PacketVisitor: AnyObject {
  /// A whole packet whose CRC holds; the view lasts for the call.
  func packet(_ crossing: Crossing, _ view: borrowing PacketView)
  /// A frame of a call's direct road, with the datagram's bytes. The first few of a call are told
  /// once it is certain that it is one: after what came between them.
  func frame(_ crossing: Crossing, _ frame: CallFrame, _ bytes: RawSpan)
  func lost(_ crossing: Crossing, _ loss: Loss)
}
