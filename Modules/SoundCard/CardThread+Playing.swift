internal import EventLoop
internal import Glibc
internal import Sound

extension CardThread {
  /// Plays what the ring holds, and silence when it holds nothing, until something breaks.
  func play(_ stream: CardStream) throws(CardError) {
    let feed = try PlayFeed(stream)
    hasBegun(stream)
    var lastProgress = monotonicNow()
    while !shouldStop {
      stream.wait(milliseconds: Self.waitMilliseconds)
      guard let room = try stream.available() else {
        wasMended()
        continue
      }
      guard room >= stream.period else {
        try checkProgress(lastProgress, stream)
        // A plug-in that says at once that it has waited must not keep a processor busy.
        usleep(1_000)
        continue
      }
      let filled = feed.fill(min(room, stream.buffer), from: ring)
      guard let written = try feed.write(to: stream) else {
        wasMended()
        continue
      }
      feed.keep(from: written)
      if written > 0 { lastProgress = monotonicNow() }
      button.ring()
      let (delay, now) = (stream.delay, monotonicNow())
      tell {
        $0.filled += filled
        var position = CardReport.Position()
        position.samples = feed.taken
        position.delay = Double((delay ?? 0) + feed.waiting) * 24_000 / Double(stream.rate)
        position.at = now
        $0.position = delay == nil ? nil : position
      }
    }
  }

  func checkProgress(_ last: Int64, _ stream: CardStream) throws(CardError) {
    guard monotonicNow() - last < Self.stalled else {
      throw CardError(device, direction, code: -ETIMEDOUT)
    }
  }
}

/// Samples of the ring at the card's rate, with nothing allocated on the way.
private final class PlayFeed {
  /// Samples taken from the ring, and silence in place of some.
  private(set) var taken = 0
  private let resampler: Resampler?
  private var source: [Float]
  private var sourceCount = 0
  private var target: [Float]
  private var output: [Int16]
  private var outputCount = 0

  init(_ stream: CardStream) throws(CardError) {
    let needed = stream.rate != CardStream.wantedRate
    resampler =
      needed ? try? Resampler(from: CardStream.wantedRate, to: stream.rate, quality: 5) : nil
    guard (resampler != nil) == needed else {
      throw CardError(stream.device, stream.direction, code: -EINVAL)
    }
    // 10 ms at a time.
    source = [Float](repeating: 0, count: CardStream.wantedRate / 100)
    target = [Float](repeating: 0, count: stream.rate / 100 + 16)
    output = [Int16](repeating: 0, count: stream.buffer + target.count)
  }

  /// Samples, at the card's rate, that are taken and not yet written.
  var waiting: Int { outputCount }

  /// Writes what is ready; returns how much of it went, nil after an underrun.
  func write(to stream: CardStream) throws(CardError) -> Int? {
    try output.withUnsafeBufferPointer { (buffer) throws(CardError) in
      try stream.write(buffer.span.extracting(first: outputCount))
    }
  }

  /// Makes at least `count` samples ready, or as many as come out of 10 ms steps.
  ///
  /// - Returns: samples of silence that stand for what the ring did not have.
  func fill(_ count: Int, from ring: SampleRing) -> Int {
    var filled = 0
    while outputCount < count, outputCount + target.count <= output.count {
      var got = 0
      do {
        var room = source.mutableSpan
        got = ring.pop(into: &room)
      }
      for place in got..<source.count { source[place] = 0 }
      filled += source.count - got
      taken += source.count
      convert()
    }
    return filled
  }

  private func convert() {
    guard let resampler else {
      for place in source.indices { output[outputCount + place] = Sample.int16(source[place]) }
      outputCount += source.count
      return
    }
    var start = 0
    while start < source.count {
      var step = (taken: 0, given: 0)
      do {
        var room = target.mutableSpan
        step = resampler.process(source.span.extracting(start..<source.count), into: &room)
      }
      guard step.taken > 0 || step.given > 0 else { return }
      start += step.taken
      for place in 0..<min(step.given, output.count - outputCount) {
        output[outputCount + place] = Sample.int16(target[place])
      }
      outputCount += min(step.given, output.count - outputCount)
    }
  }

  /// Forgets what was written.
  func keep(from written: Int) {
    let gone = max(0, min(written, outputCount))
    for place in gone..<outputCount { output[place - gone] = output[place] }
    outputCount -= gone
  }
}
