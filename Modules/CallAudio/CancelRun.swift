internal import EchoNLMS
internal import Glibc

/// A canceller at work on two recordings.
///
/// The canceller's delay is taken out: the output's first sample is the microphone's first.
final class CancelRun {
  /// One frame on its way through.
  struct Frame {
    var far: [Float]
    var microphone: [Float]
    var output: [Float]
    /// Samples that the microphone's file had for it.
    var count = 0

    mutating func clear() {
      for place in far.indices { far[place] = 0 }
      for place in microphone.indices { microphone[place] = 0 }
      count = 0
    }
  }

  private let canceller: any EchoCanceller
  private var meter = EchoMeter()
  private var early: Int
  /// Samples that went in and have not come out.
  private(set) var owed = 0
  /// Samples that went in.
  private(set) var samples = 0
  private(set) var processorSeconds: Double = 0
  private(set) var total = EchoMeter.Total()
  var state: EchoState { canceller.state }

  init(canceller: any EchoCanceller) {
    self.canceller = canceller
    early = canceller.addedDelay
  }

  func emptyFrame() -> Frame {
    let silence = [Float](repeating: 0, count: EchoFormat.frameSamples)
    return Frame(far: silence, microphone: silence, output: silence)
  }

  /// Cancels a frame; at the end of each second of the recording returns its figures.
  func process(_ frame: inout Frame) -> EchoMeter.Second? {
    // Apart from the frame while it is written, which the compiler takes for one value.
    var cleaned: [Float] = []
    swap(&cleaned, &frame.output)
    let start = Self.processorTime()
    do {
      var output = cleaned.mutableSpan
      canceller.cancel(
        farEnd: frame.far.span, microphone: frame.microphone.span, output: &output)
    }
    processorSeconds += Self.processorTime() - start
    swap(&cleaned, &frame.output)
    samples += frame.count
    owed += frame.count
    guard frame.count > 0 else { return nil }
    return meter.note(
      farEnd: frame.far.span, microphone: frame.microphone.span, output: frame.output.span,
      state: canceller.state, total: &total)
  }

  /// The part of a frame's output that belongs into the file.
  func cleaned(_ frame: Frame) -> (frame: Frame, range: Range<Int>) {
    let start = min(early, frame.output.count)
    early -= start
    let end = min(frame.output.count, start + owed)
    owed -= end - start
    return (frame, start..<end)
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
