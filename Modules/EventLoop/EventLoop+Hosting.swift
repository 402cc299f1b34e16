internal import Dispatch

/// Where nobody calls `run`, as in tests, Dispatch's main queue takes the loop's turns.
extension EventLoop {
  enum Hosting {
    /// Nobody has run the loop, nor needed it so far.
    case possible
    case by(any DispatchSourceRead)
    /// The loop runs by itself.
    case never
  }

  /// Sees to turns when descriptors are ready.
  func beHosted() {
    guard case .possible = hosting, descriptors >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptors, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated { self.hostedTurn() } }
    source.activate()
    hosting = .by(source)
  }

  /// Sees to a turn soon, or when `pause` is over.
  func scheduleHostedTurn(after pause: Duration? = nil) {
    if case .never = hosting { return }
    guard let pause else {
      if isHostedTurnDue { return }
      isHostedTurnDue = true
      return DispatchQueue.main.async {
        MainActor.assumeIsolated {
          self.isHostedTurnDue = false
          self.hostedTurn()
        }
      }
    }
    // A millisecond more, for both clocks to agree that it is over.
    let (seconds, fraction) = pause.components
    let deadline = DispatchTime.now() + Double(seconds) + Double(fraction) / 1e18 + 0.001
    DispatchQueue.main.asyncAfter(deadline: deadline) {
      MainActor.assumeIsolated { self.hostedTurn() }
    }
  }

  private func hostedTurn() {
    turn(mayWait: false)
    if hasWork { scheduleHostedTurn() }
  }
}
