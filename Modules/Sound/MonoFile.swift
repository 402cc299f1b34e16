/// A WAV file as one channel at the rate that is asked for, whatever it holds.
public final class MonoFile {
  public let format: WAVFormat
  private let reader: WAVReader
  private let resampler: Resampler?
  private var pending = [Float](repeating: 0, count: 4_096)
  private var start = 0
  private var end = 0
  /// Silence still to be put behind the last sample, so that the resampler gives all of it.
  private var tail: Int

  public init(path: String, sampleRate: Int) throws(SoundError) {
    reader = try WAVReader(path: path)
    format = reader.format
    resampler =
      format.sampleRate == sampleRate
      ? nil : try Resampler(from: format.sampleRate, to: sampleRate)
    tail = resampler?.tail ?? 0
  }

  /// Fills `samples` and returns how many there are, fewer only at the end.
  public func read(into samples: inout MutableSpan<Float>) throws(SoundError) -> Int {
    guard let resampler else { return try reader.read(into: &samples) }
    var filled = 0
    while filled < samples.count {
      if start == end {
        start = 0
        end = try pending.withUnsafeMutableBufferPointer { (buffer) throws(SoundError) in
          var room = buffer.mutableSpan
          return try reader.read(into: &room)
        }
        if end == 0 {
          end = min(tail, pending.count)
          for place in 0..<end { pending[place] = 0 }
          tail -= end
        }
        if end == 0 { break }
      }
      let (taken, given) = resampler.process(
        pending.span.extracting(start..<end), into: &samples, from: filled)
      start += taken
      filled += given
      if taken == 0, given == 0 { break }
    }
    return filled
  }
}
