/// What the sound of a call tells airlink-node.
///
/// | type | message | payload |
/// | --- | --- | --- |
/// | 81 | ready | echo 1 ‖ capture's name: length 1, UTF-8 ‖ playback's name: the same |
/// | 82 | frame | Opus 1 to 1,275 bytes |
/// | 83 | statistics | as `AudioStatistics` says, 43 bytes |
/// | 84 | notice | code 2 ‖ UTF-8, up to 200 bytes |
/// | 85 | ended | 1 byte: 0 done, 1 failed ‖ UTF-8, up to 200 bytes |
///
/// A message is one packet of the socket: its type in a byte, then the payload; numbers have their
/// most significant byte first.
public enum AudioMessage: Hashable, Sendable {
  /// What carries the sound; the first message.
  case ready(AudioReady)
  /// 20 ms of what the microphone heard, coded; one every 20 ms, muted too.
  case frame([UInt8])
  /// Every 2 s, of the 2 s before.
  case statistics(AudioStatistics)
  /// Something that the user should know.
  case notice(AudioNotice, String)
  /// The last message; nothing follows. `text` says why it failed.
  case ended(hasFailed: Bool, text: String)
}

/// What carries the sound of a call.
public struct AudioReady: Hashable, Sendable {
  /// What takes the echo out.
  public enum Echo: UInt8, Sendable, CaseIterable {
    case off = 0
    /// The system's source does it already.
    case system = 1
    case nlms = 2
    case speex = 3
  }

  public var echo: Echo
  /// The names of devices or files; up to 255 bytes each, what is over is cut.
  public var capture: String
  public var playback: String

  public init(echo: Echo, capture: String, playback: String) {
    self.echo = echo
    self.capture = capture
    self.playback = playback
  }
}

/// Something about a call's sound that the user should know.
public enum AudioNotice: UInt16, Sendable, CaseIterable {
  /// The microphone does not work, or went away: silence goes out until it is back.
  case captureGone = 1
  case captureBack = 2
  /// Nothing can be played until it is back.
  case playbackGone = 3
  case playbackBack = 4
  /// The echo canceller made things worse and switched itself off.
  case cancellerOff = 5
  /// The system's source takes the echo out already; ours is not used.
  case systemCancels = 6
  /// There is no sound device; it is looked for again and again.
  case noDevice = 7
  /// The file that the sound goes into cannot be written any further.
  case fileFailed = 8

  /// The code as other programs see it.
  public var code: String {
    switch self {
    case .captureGone: "capture-gone"
    case .captureBack: "capture-back"
    case .playbackGone: "playback-gone"
    case .playbackBack: "playback-back"
    case .cancellerOff: "canceller-off"
    case .systemCancels: "system-cancels"
    case .noDevice: "no-device"
    case .fileFailed: "file-failed"
    }
  }
}

extension AudioMessage: PipeMessage {
  public var isVoice: Bool { if case .frame = self { true } else { false } }

  public var bytes: [UInt8] {
    switch self {
    case .ready(let ready):
      var writer = PipeWriter(type: 0x81)
      writer.put(ready.echo.rawValue)
      for name in [ready.capture, ready.playback] {
        let text = PipeWriter.utf8(name, upTo: PipeLimit.nameBytes)
        writer.put(UInt8(text.count))
        writer.put(text)
      }
      return writer.bytes
    case .frame(let opus): return [0x82] + opus
    case .statistics(let statistics):
      var writer = PipeWriter(type: 0x83)
      statistics.put(into: &writer)
      return writer.bytes
    case .notice(let notice, let text):
      var writer = PipeWriter(type: 0x84)
      writer.put(notice.rawValue)
      writer.put(PipeWriter.utf8(text, upTo: PipeLimit.textBytes))
      return writer.bytes
    case .ended(let hasFailed, let text):
      return [0x85, hasFailed ? 1 : 0] + PipeWriter.utf8(text, upTo: PipeLimit.textBytes)
    }
  }

  public init(bytes: [UInt8]) throws(PipeError) {
    var reader = PipeReader(bytes)
    switch try reader.uint8() {
    case 0x81:
      guard let echo = AudioReady.Echo(rawValue: try reader.uint8()) else { throw .malformed }
      let capture = try reader.text(Int(try reader.uint8()))
      let playback = try reader.text(Int(try reader.uint8()))
      self = .ready(AudioReady(echo: echo, capture: capture, playback: playback))
    case 0x82: self = .frame(try reader.opus())
    case 0x83: self = .statistics(try AudioStatistics(&reader))
    case 0x84:
      // A notice that is not known yet is skipped as a type that is not known is.
      guard let notice = AudioNotice(rawValue: try reader.uint16()) else { throw .unknownType }
      self = .notice(notice, try reader.text())
    case 0x85:
      let kind = try reader.uint8()
      guard kind <= 1 else { throw .malformed }
      self = .ended(hasFailed: kind == 1, text: try reader.text())
    default: throw .unknownType
    }
    try reader.end()
  }
}
