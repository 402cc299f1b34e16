internal import COgg

/// Writes packets into an Ogg file of one stream (RFC 3533), which appears when it is whole.
public final class OggWriter {
  private let file: ReplacingFile
  private var stream = ogg_stream_state()
  private var number: Int64 = 0

  /// Begins a file; `serial` tells its stream from others and should be random.
  public init(path: String, serial: Int32) throws(SoundError) {
    file = try ReplacingFile(path: path, suffix: "opus")
    guard ogg_stream_init(&stream, serial) == 0 else { throw SoundError("no memory is left") }
  }

  deinit { ogg_stream_clear(&stream) }

  /// Adds a packet; `granule` is the position at its end, as the codec counts.
  ///
  /// The page ends with it where `endsPage` says so, which headers need.
  public func write(
    _ packet: [UInt8], granule: Int64, endsPage: Bool = false, isLast: Bool = false
  ) throws(SoundError) {
    var bytes = packet
    let taken = bytes.withUnsafeMutableBufferPointer { buffer in
      var packet = ogg_packet(
        packet: buffer.baseAddress, bytes: buffer.count, b_o_s: number == 0 ? 1 : 0,
        e_o_s: isLast ? 1 : 0, granulepos: granule, packetno: number)
      return ogg_stream_packetin(&stream, &packet)
    }
    guard taken == 0 else { throw SoundError("no memory is left") }
    number += 1
    var page = ogg_page()
    while (endsPage || isLast ? ogg_stream_flush : ogg_stream_pageout)(&stream, &page) != 0 {
      try file.write(UnsafeRawBufferPointer(start: page.header, count: page.header_len))
      try file.write(UnsafeRawBufferPointer(start: page.body, count: page.body_len))
    }
  }

  /// Gives the file its name; the last packet has been written.
  public func finish() throws(SoundError) { try file.finish() }
}
