internal import COgg
internal import Glibc

/// Reads the packets of an Ogg file's first stream (RFC 3533), front to back.
///
/// Memory does not grow with the file. What is damaged is passed over and counted.
public final class OggReader {
  /// A packet of the codec.
  public struct Packet: Sendable {
    public let bytes: [UInt8]
    /// The position at its end, as the codec counts; nil where the file does not say.
    public let granule: Int64?
    /// The stream says that nothing follows.
    public let isLast: Bool
  }

  /// The longest packet that is put together; 120 ms of Opus at its highest rate have 61,298 bytes.
  public static let maximumPacketBytes = 65_536
  private static let bytesAtOnce = 32_768

  /// Places at which something was missing or damaged.
  public private(set) var gaps = 0
  private let source: ByteSource
  private var sync = ogg_sync_state()
  private var stream = ogg_stream_state()
  private var hasStream = false
  private var isAtEnd = false

  public init(path: String) throws(SoundError) {
    source = try ByteSource(path: path)
    ogg_sync_init(&sync)
  }

  deinit {
    if hasStream { ogg_stream_clear(&stream) }
    ogg_sync_clear(&sync)
  }

  /// The next packet; nil at the end.
  public func next() throws(SoundError) -> Packet? {
    while true {
      if hasStream, let packet = try takePacket() { return packet }
      guard try takePage() else { return nil }
    }
  }

  private func takePacket() throws(SoundError) -> Packet? {
    while true {
      var packet = ogg_packet()
      let result = ogg_stream_packetout(&stream, &packet)
      if result == 0 { return nil }
      guard result > 0 else {
        gaps += 1
        continue
      }
      guard (0...Self.maximumPacketBytes).contains(packet.bytes) else {
        throw SoundError("has a packet of absurd length")
      }
      return Packet(
        bytes: Array(UnsafeBufferPointer(start: packet.packet, count: packet.bytes)),
        granule: packet.granulepos < 0 ? nil : packet.granulepos, isLast: packet.e_o_s != 0)
    }
  }

  /// Takes a page in; false at the end of the file.
  private func takePage() throws(SoundError) -> Bool {
    var page = ogg_page()
    while true {
      let result = ogg_sync_pageout(&sync, &page)
      if result > 0 {
        if try take(&page) { return true }
        continue
      }
      if result < 0 {
        if hasStream { gaps += 1 }
        continue
      }
      guard try fill() else { return false }
    }
  }

  /// Whether the page was of the stream that is read.
  private func take(_ page: inout ogg_page) throws(SoundError) -> Bool {
    let serial = ogg_page_serialno(&page)
    if !hasStream {
      guard ogg_page_bos(&page) != 0 else { return false }
      guard ogg_stream_init(&stream, serial) == 0 else { throw SoundError("no memory is left") }
      hasStream = true
    }
    guard ogg_stream_pagein(&stream, &page) == 0 else { return false }
    // A packet that goes on from page to page, without end.
    guard stream.body_fill - stream.body_returned <= 2 * Self.maximumPacketBytes else {
      throw SoundError("has a packet of absurd length")
    }
    return true
  }

  private func fill() throws(SoundError) -> Bool {
    guard !isAtEnd else { return false }
    let count = try source.take(Self.bytesAtOnce) { (bytes: RawSpan) throws(SoundError) -> Int in
      guard bytes.byteCount > 0 else { return 0 }
      guard let room = ogg_sync_buffer(&sync, bytes.byteCount) else {
        throw SoundError("no memory is left")
      }
      bytes.withUnsafeBytes { source in
        UnsafeMutableRawBufferPointer(start: room, count: source.count).copyMemory(from: source)
      }
      ogg_sync_wrote(&sync, bytes.byteCount)
      return bytes.byteCount
    }
    isAtEnd = count == 0
    return !isAtEnd
  }
}
