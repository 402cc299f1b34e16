/// How a call's sound was over the last 2 s.
///
/// On the pipe, in this order: six numbers of 4 bytes (due to underruns), then the measures of 2
/// bytes, signed, in tenths of their unit, −32,768 where it is not known (jitter to processor), and
/// in the end one byte (muted).
public struct AudioStatistics: Hashable, Sendable {
  /// Frames of the other side whose time to be played came.
  public var due: UInt32 = 0
  /// Of them, those that had not come, and of these the ones that the next frame brought back.
  public var lost: UInt32 = 0
  public var recovered: UInt32 = 0
  /// Frames that came too late to be played.
  public var late: UInt32 = 0
  /// Frames left out or filled in to change the buffer's delay.
  public var adjusted: UInt32 = 0
  /// How often a device ran out of sound to play, or of room to record into.
  public var underruns: UInt32 = 0

  /// What the playout buffer waits for.
  public var jitterMs: Double?
  /// How long frames wait in the playout buffer.
  public var bufferMs: Double?
  /// From a frame's leaving the buffer until it sounds.
  public var playbackMs: Double?
  /// Echo return loss enhancement; nil while the far end is silent or nothing cancels.
  public var echoRemovedDB: Double?
  /// The delay of the echo that the canceller has found.
  public var echoDelayMs: Double?
  /// The microphone's clock over the loudspeaker's.
  public var driftPpm: Double?
  /// The level, over full scale, of what the microphone heard, without echo, and of what was played.
  public var inputDBFS: Double?
  public var outputDBFS: Double?
  /// Of one core.
  public var processorPercent: Double?

  /// Whether silence goes out.
  public var isMuted = false

  public init() {}

  /// Of a hundred frames that were due, those that had not come.
  public var lossPercent: Double { due == 0 ? 0 : 100 * Double(lost) / Double(due) }

  private static var counts: [WritableKeyPath<Self, UInt32>] {
    [\.due, \.lost, \.recovered, \.late, \.adjusted, \.underruns]
  }

  private static var measures: [WritableKeyPath<Self, Double?>] {
    [
      \.jitterMs, \.bufferMs, \.playbackMs, \.echoRemovedDB, \.echoDelayMs, \.driftPpm,
      \.inputDBFS, \.outputDBFS, \.processorPercent,
    ]
  }

  func put(into writer: inout PipeWriter) {
    for count in Self.counts { writer.put(self[keyPath: count]) }
    for measure in Self.measures { writer.put(Self.tenths(self[keyPath: measure])) }
    writer.put(UInt8(isMuted ? 1 : 0))
  }

  init(_ reader: inout PipeReader) throws(PipeError) {
    for count in Self.counts { self[keyPath: count] = try reader.uint32() }
    for measure in Self.measures {
      let number = Int16(bitPattern: try reader.uint16())
      self[keyPath: measure] = number == .min ? nil : Double(number) / 10
    }
    let muted = try reader.uint8()
    guard muted <= 1 else { throw .malformed }
    isMuted = muted == 1
  }

  /// In tenths, held within what 2 bytes take.
  private static func tenths(_ value: Double?) -> UInt16 {
    guard let value, !value.isNaN else { return UInt16(bitPattern: .min) }
    let held = max(Double(Int16.min + 1), min(Double(Int16.max), (value * 10).rounded()))
    return UInt16(bitPattern: Int16(held))
  }
}
