internal import Link

/// What happened on all links so far, for `/stats`.
struct WiFiCounters: Sendable {
  var packetsIn = 0
  var packetsOut = 0
  var bytesIn = 0
  var bytesOut = 0
  /// Of links that are gone; those that live count their own.
  var shed = 0
  var shedVoice = 0
  var checksumFailures = 0
  var garbage = 0
  /// Connections closed before those above knew of them.
  var refused = 0
  var dialsFailed = 0
  var lost = 0
  var replaced = 0
  var misbehaved = 0
  var stopping = 0
  /// Times there was no descriptor left for a connection.
  var exhausted = 0

  mutating func noteClosed(_ reason: LinkCloseReason) {
    switch reason {
    case .lost: lost += 1
    case .replaced: replaced += 1
    case .misbehaved: misbehaved += 1
    case .stopping: stopping += 1
    }
  }
}
