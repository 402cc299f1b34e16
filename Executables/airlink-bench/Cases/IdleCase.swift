internal import CommandLine

/// A node that has one link and nothing to do.
enum IdleCase {
  private static let sampleLength: Duration = .seconds(1)
  /// So many times as long as other cases: what is rare is to be seen, too.
  private static let longer = 30

  static let node = Subject(
    summary: "processor time for a second of a node with one idle link and mDNS of its own",
    limit: "nothing to do"
  ) { budget in
    let duration = budget * longer
    let other = try NodeProcess("Ben", "--discovery", "embedded")
    let node = try NodeProcess("Ada", "--discovery", "embedded")
    try node.wait("find \(other.label)") {
      $0["event"] == "peer" && $0["number"] == .string(other.number) && $0["direct"] == true
    }
    // Hellos are over after a second and a half, the announcements of mDNS a little later.
    let settling = min(duration, .seconds(5))
    try await Task.sleep(for: settling)
    let began = ContinuousClock.now
    let first = try node.processorTime()
    var before = first
    var samples: [Double] = []
    while ContinuousClock.now - began < duration {
      let step = min(sampleLength, duration)
      try await Task.sleep(for: step)
      let now = try node.processorTime()
      samples.append(Double(now - before) / (step / .seconds(1)))
      before = now
    }
    let whole = (ContinuousClock.now - began) / .nanoseconds(1)
    var measurement = Measurement(subject: Distribution(nanoseconds: samples), limit: nil)
    measurement.figures[.processorPercent] = 100 * Double(before - first) / whole
    measurement.figures[.residentMebibytes] = try node.residentMebibytes()
    return measurement
  }
}
