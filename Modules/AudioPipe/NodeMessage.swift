/// What airlink-node tells the sound of a call.
///
/// | type | message | payload |
/// | --- | --- | --- |
/// | 01 | frame | sequence 4 ‖ Opus 1 to 1,275 bytes |
/// | 02 | mute | 1 byte: 0 off, 1 on |
/// | 03 | stop | none |
///
/// A message is one packet of the socket: its type in a byte, then the payload; numbers have their
/// most significant byte first.
public enum NodeMessage: Hashable, Sendable {
  /// A frame that opened, by its number in the call. Replays were taken out; order, loss and jitter
  /// are the audio process's to mend.
  case frame(sequence: UInt32, opus: [UInt8])
  /// Whether silence goes out in place of what the microphone hears.
  case mute(Bool)
  /// The call has ended: files are finished, devices given back, and `AudioMessage.ended` is said.
  case stop
}

extension NodeMessage: PipeMessage {
  public var isVoice: Bool { if case .frame = self { true } else { false } }

  public var bytes: [UInt8] {
    switch self {
    case .frame(let sequence, let opus):
      var writer = PipeWriter(type: 0x01)
      writer.put(sequence)
      writer.put(opus)
      return writer.bytes
    case .mute(let isOn): return [0x02, isOn ? 1 : 0]
    case .stop: return [0x03]
    }
  }

  public init(bytes: [UInt8]) throws(PipeError) {
    var reader = PipeReader(bytes)
    switch try reader.uint8() {
    case 0x01: self = .frame(sequence: try reader.uint32(), opus: try reader.opus())
    case 0x02:
      switch try reader.uint8() {
      case 0: self = .mute(false)
      case 1: self = .mute(true)
      default: throw .malformed
      }
    case 0x03: self = .stop
    default: throw .unknownType
    }
    try reader.end()
  }
}
