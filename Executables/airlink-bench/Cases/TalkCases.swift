internal import CommandLine
internal import Dispatch
internal import Glibc

/// Two nodes that talk over the loopback, against the sealing and opening that this takes.
enum TalkCases {
  /// From a line on the sender's standard input to the line that tells its receipt.
  static let receipt = Subject(
    summary: "a text and its receipt between two nodes on loopback",
    limit: "two seals and two opens"
  ) { duration in
    let pair = try NodePair()
    let text = try SealedText(bucket: 256)
    for _ in 0..<20 { _ = try pair.exchange() }
    var samples: (subject: [Double], limit: [Double]) = ([], [])
    let end = ContinuousClock.now + duration
    repeat {
      samples.subject.append(try pair.exchange())
      let began = clockNanoseconds()
      text.sealAndOpen(2)
      samples.limit.append(Double(clockNanoseconds() - began))
    } while ContinuousClock.now < end
    return Measurement(
      subject: Distribution(nanoseconds: samples.subject),
      limit: Distribution(nanoseconds: samples.limit))
  }

  /// Texts confirmed one after the other while so many are under way.
  ///
  /// With one under way the two sides never work at the same time: what a core a side can do then is
  /// two seals and two opens, one after the other.
  static func confirmed(inFlight: Int) -> Subject {
    let isChain = inFlight == 1
    return Subject(
      summary: "a confirmed text, with \(inFlight) under way between two nodes on loopback",
      limit: isChain
        ? "two seals and two opens, each waiting for the other"
        : "a seal and an open on a core a side"
    ) { duration in
      let pair = try NodePair()
      let text = try SealedText(bucket: 256)
      let turn = min(duration / 2, .milliseconds(300))
      _ = try pair.stream(inFlight: inFlight, for: turn)
      var texts = Phase()
      var limit = Phase()
      let end = ContinuousClock.now + duration
      repeat {
        try texts.add(pair.stream(inFlight: inFlight, for: turn))
        limit.add(isChain ? chain(text, for: turn / 3) : onBothCores(text, for: turn / 3))
      } while ContinuousClock.now < end
      var measurement = Measurement(
        subject: Distribution(nanoseconds: texts.samples),
        limit: Distribution(nanoseconds: limit.samples))
      measurement.figures[.ofTheLimit] = measurement.ratio.map { 1 / $0 }
      measurement.figures[.processorRatio] = texts.processorTimeEach / limit.processorTimeEach
      return measurement
    }
  }

  /// What was measured in turns, put together.
  struct Phase {
    /// Nanoseconds a text.
    var samples: [Double] = []
    /// Texts in all, and nanoseconds of processor time that a side took for them.
    var count = 0
    var processorTime: UInt64 = 0

    var processorTimeEach: Double { Double(processorTime) / Double(count) }

    mutating func add(_ other: Phase) {
      samples += other.samples
      count += other.count
      processorTime += other.processorTime
    }
  }

  /// What can be sealed and opened while one side waits for the other: one thread.
  private static func chain(_ text: SealedText, for duration: Duration) -> Phase {
    let textsEach = 25
    var phase = Phase()
    let end = ContinuousClock.now + duration
    let before = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    repeat {
      let began = clockNanoseconds()
      text.sealAndOpen(2 * textsEach)
      phase.samples.append(Double(clockNanoseconds() - began) / Double(textsEach))
      phase.count += textsEach
    } while ContinuousClock.now < end
    // Half of it is the other side's.
    phase.processorTime = (clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before) / 2
    return phase
  }

  /// What one core a side can seal and open: two threads at once.
  private static func onBothCores(_ text: SealedText, for duration: Duration) -> Phase {
    let textsEach = 50
    var phase = Phase()
    let end = ContinuousClock.now + duration
    let before = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    repeat {
      let began = clockNanoseconds()
      DispatchQueue.concurrentPerform(iterations: 2) { _ in text.sealAndOpen(textsEach) }
      phase.samples.append(Double(clockNanoseconds() - began) / Double(textsEach))
      phase.count += textsEach
    } while ContinuousClock.now < end
    phase.processorTime = (clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before) / 2
    return phase
  }
}
