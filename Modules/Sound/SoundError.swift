/// Why a sound file cannot be read or written: words that follow the file's name.
public struct SoundError: Error, Hashable, Sendable {
  public let reason: String

  public init(_ reason: String) { self.reason = reason }
}
