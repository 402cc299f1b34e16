internal import Wire

/// What the state machine of calls counts.
struct CallCounters: Sendable {
  /// Within 15 minutes of our clock.
  var signals = 0
  /// Over 15 minutes off it.
  var farOffSignals = 0
  /// About no call of ours, out of turn, outdated, or over a stranger's share.
  var ignoredSignals = 0
  var freshFrames = 0
  var copiedFrames = 0
  var refusedFrames = 0
}

extension CallAgent {
  /// Counters by name, for `/stats`.
  public var statistics: [(name: String, value: Int)] {
    [
      ("signals", counters.signals), ("far-off-signals", counters.farOffSignals),
      ("ignored-signals", counters.ignoredSignals), ("fresh-frames", counters.freshFrames),
      ("copied-frames", counters.copiedFrames), ("refused-frames", counters.refusedFrames),
    ]
  }

  /// Every table with how full it is and its bound, for `/stats`.
  public var bounds: [(name: String, fill: Int, limit: Int)] {
    [
      ("pinned-senders", memory.pinnedCount, CallMemory.pinnedCapacity),
      ("strange-senders", memory.strangersCount, CallMemory.strangersCapacity),
      ("farewells", farewells.count, Farewells.capacity),
    ]
  }
}
