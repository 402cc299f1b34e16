public import EventLoop
internal import Glibc
public import Sound
internal import Synchronization

/// One direction of a sound card at work, on a thread of its own: between the card and a ring of
/// samples of 24 kHz.
///
/// The thread opens the device, mends what can be mended, and tries again, with pauses that grow,
/// when it is gone. It may be held up by a sound server that has stalled; nobody else is.
public final class CardThread: Sendable {
  /// Milliseconds of one wait for the card.
  static let waitMilliseconds: CInt = 100
  /// How long a card may do nothing, in nanoseconds, until its stream is made anew.
  static let stalled: Int64 = 2_000_000_000
  /// Samples that a ring holds: 1 s.
  public static let ringCapacity = 24_000

  public let ring = SampleRing(capacity: ringCapacity)
  public let device: String
  public let direction: CardDirection
  /// Rung when there is something to take from the ring, or room in it.
  let button: Doorbell.Button
  private let shared = Guarded(CardReport())
  private let isStopped = Atomic<Bool>(false)
  /// What the recording's clock is off, in thousandths of a millionth.
  private let correctionPpb = Atomic<Int>(0)
  private let ended = Latch()

  public init(_ device: String, _ direction: CardDirection, button: Doorbell.Button) {
    self.device = device
    self.direction = direction
    self.button = button
  }

  /// Starts the thread.
  ///
  /// - Returns: false when the system has none left.
  public func start() -> Bool {
    BackgroundThread.start { [self] in
      run()
      ended.open()
    }
  }

  /// Asks it to end, and waits for a short time; one that a sound server holds up is left behind.
  public func stop() {
    isStopped.store(true, ordering: .relaxed)
    _ = ended.wait(atMost: .milliseconds(300))
  }

  public var report: CardReport { shared.withLock { $0 } }

  /// Takes the card's clock to be so many millionths fast, when recording.
  public func correct(ppm: Double) {
    guard ppm.isFinite else { return }
    correctionPpb.store(Int(max(-1e6, min(1e6, ppm * 1_000))), ordering: .relaxed)
  }

  var shouldStop: Bool { isStopped.load(ordering: .relaxed) }
  var correction: Double { Double(correctionPpb.load(ordering: .relaxed)) / 1_000 }

  func tell(_ change: (inout CardReport) -> Void) { shared.withLock { change(&$0) } }

  /// The stream works, from here on.
  func hasBegun(_ stream: CardStream) {
    tell {
      $0.isRunning = true
      $0.error = nil
      $0.rate = stream.rate
      $0.generation += 1
    }
  }

  /// The card ran out of sound, or of room, and was mended: positions before are of another stream.
  func wasMended() {
    tell {
      $0.underruns += 1
      $0.generation += 1
      $0.position = nil
    }
  }

  // MARK: On the thread

  private func run() {
    var pause = RetryPause()
    while !shouldStop {
      let began = monotonicNow()
      var hasRun = false
      do throws(CardError) {
        let stream = try CardStream(device, direction)
        hasRun = true
        switch direction {
        case .playback: try play(stream)
        case .capture: try record(stream)
        }
      } catch {
        tell {
          $0.isRunning = false
          $0.error = error
          $0.position = nil
        }
        button.ring()
      }
      var left = pause.pause(afterRunning: hasRun ? monotonicNow() - began : 0)
      while left > 0, !shouldStop {
        usleep(UInt32(min(left, 50)) * 1_000)
        left -= 50
      }
    }
  }
}
