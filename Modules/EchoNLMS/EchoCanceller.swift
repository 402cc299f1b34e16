/// The sound that cancellers take: the codec's own format (PROTOCOL, section 7).
public enum EchoFormat {
  /// Hz, one channel.
  public static let sampleRate = 24_000
  /// Samples of one frame: 20 ms.
  public static let frameSamples = 480
  /// Taps of the model of the way from loudspeaker to microphone, about 170 ms.
  public static let taps = 4_096
}

/// Takes the far end's voice out of what the microphone hears.
///
/// Frame by frame: what the loudspeaker is given, and what the microphone delivered in the same
/// 20 ms, go in; what the near talker said comes out, `addedDelay` samples late. Full scale is 1.
/// A frame allocates nothing, takes no lock and does a bounded amount of work.
public protocol EchoCanceller: AnyObject {
  /// Samples by which the output is late.
  var addedDelay: Int { get }
  var state: EchoState { get }

  /// Cancels one frame; all three have `EchoFormat.frameSamples` samples.
  ///
  /// Samples that are no numbers count as silence, and those beyond ±`EchoState.loudest` as that.
  /// A frame of another length is passed on as it is, as far as there is room.
  func cancel(
    farEnd: Span<Float>, microphone: Span<Float>, output: inout MutableSpan<Float>)

  /// Forgets everything, as if just made.
  func reset()
}

/// What a canceller says of itself.
public struct EchoState: Hashable, Sendable {
  /// Samples are held within plus and minus this.
  public static let loudest: Float = 16

  /// How often the model was thrown away because it made things louder.
  public var resets = 0
  /// Off for the rest of the call: the microphone passes untouched.
  public var isOff = false
  /// How late the echo comes, in samples, once it was found.
  public var delay: Int?
  /// By how many millionths the microphone's clock runs faster than the loudspeaker's, once found.
  public var drift: Float?

  public init() {}
}
