/// How samples go between files, where they are whole numbers, and computation, where full scale
/// is 1.
public enum Sample {
  /// 16-bit full scale.
  public static let fullScale: Float = 32_768

  /// A 16-bit sample as a part of full scale; exact.
  @inlinable public static func float(_ sample: Int16) -> Float { Float(sample) / fullScale }

  /// The nearest 16-bit sample; what is over full scale is clipped, and no number is silence.
  @inlinable public static func int16(_ sample: Float) -> Int16 {
    let scaled = (sample * fullScale).rounded(.toNearestOrEven)
    if scaled >= 32_767 { return .max }
    if scaled <= -32_768 { return .min }
    return scaled.isNaN ? 0 : Int16(scaled)
  }
}
