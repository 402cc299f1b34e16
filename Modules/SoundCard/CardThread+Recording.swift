internal import EventLoop
internal import Glibc
internal import Sound

extension CardThread {
  /// Puts what the card hears into the ring until something breaks.
  func record(_ stream: CardStream) throws(CardError) {
    let intake = try RecordIntake(stream)
    try stream.start()
    hasBegun(stream)
    var lastProgress = monotonicNow()
    while !shouldStop {
      stream.wait(milliseconds: Self.waitMilliseconds)
      guard let waiting = try stream.available() else {
        wasMended()
        continue
      }
      guard waiting > 0 else {
        try checkProgress(lastProgress, stream)
        usleep(1_000)
        continue
      }
      guard let read = try intake.read(stream) else {
        wasMended()
        continue
      }
      guard read > 0 else { continue }
      lastProgress = monotonicNow()
      intake.correct(ppm: correction)
      let isWhole = intake.push(read, into: ring)
      let (delay, now) = (stream.delay, monotonicNow())
      tell {
        if !isWhole { $0.generation += 1 }
        var position = CardReport.Position()
        position.samples = intake.given
        position.delay = Double(delay ?? 0) * 24_000 / Double(stream.rate)
        position.at = now
        $0.position = delay == nil ? nil : position
      }
      button.ring()
    }
  }
}

/// The card's samples at the ring's rate, with nothing allocated on the way.
private final class RecordIntake {
  /// Millionths that the correction has to change by before it is put in force.
  private static let step = 4.0

  /// Samples that were put into the ring.
  private(set) var given = 0
  private let resampler: Resampler
  private var input: [Int16]
  private var source: [Float]
  private var target: [Float]
  private var ppm = 0.0

  init(_ stream: CardStream) throws(CardError) {
    guard let resampler = try? Resampler(from: stream.rate, to: CardStream.wantedRate, quality: 5)
    else { throw CardError(stream.device, stream.direction, code: -EINVAL) }
    self.resampler = resampler
    input = [Int16](repeating: 0, count: max(stream.period, 1))
    source = [Float](repeating: 0, count: input.count)
    target = [Float](
      repeating: 0, count: input.count * CardStream.wantedRate / stream.rate + 64)
  }

  func correct(ppm wanted: Double) {
    guard abs(wanted - ppm) >= Self.step else { return }
    ppm = wanted
    resampler.correct(ppm: wanted)
  }

  /// Reads up to a period.
  func read(_ stream: CardStream) throws(CardError) -> Int? {
    try input.withUnsafeMutableBufferPointer { (buffer) throws(CardError) in
      var samples = buffer.mutableSpan
      return try stream.read(into: &samples)
    }
  }

  /// Puts the first `count` samples of what was read into the ring.
  ///
  /// - Returns: false when there was no room for some.
  func push(_ count: Int, into ring: SampleRing) -> Bool {
    let count = min(count, input.count)
    for place in 0..<count { source[place] = Sample.float(input[place]) }
    var start = 0
    var isWhole = true
    while start < count {
      var step = (taken: 0, given: 0)
      do {
        var room = target.mutableSpan
        step = resampler.process(source.span.extracting(start..<count), into: &room)
      }
      guard step.taken > 0 || step.given > 0 else { break }
      start += step.taken
      let put = ring.push(target.span.extracting(0..<step.given))
      given += put
      if put < step.given { isWhole = false }
    }
    return isWhole
  }
}
