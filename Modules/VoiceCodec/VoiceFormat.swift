/// The sound of a call: Opus, 24 kHz, mono, 20 ms a frame (PROTOCOL, section 7).
public enum VoiceFormat {
  public static let sampleRateHz = 24_000
  public static let frameMilliseconds = 20
  /// Samples of one frame.
  public static let frameLength = sampleRateHz / 1_000 * frameMilliseconds
  public static let bitrate = 24_000
  /// The most bytes that one frame is coded to.
  public static let maximumFrameBytes = 1_275
  /// What the encoder takes the loss for where it is to repeat what matters most of a frame in the
  /// next one.
  ///
  /// With 5 or less it does not, at this bit rate; with more it repeats more than is worth it.
  public static let repairedLossPercent = 10
}

/// What libopus did not do, in its own words.
public struct VoiceCodecError: Error, Hashable, Sendable, CustomStringConvertible {
  public let call: String
  public let reason: String
  public var description: String { "\(call): \(reason)" }
}
